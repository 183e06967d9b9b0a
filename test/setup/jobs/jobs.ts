import { randomUUIDv7 } from 'node:crypto'
import type { Pool } from 'pg'
import { fromUUID } from 'typeid-js'
import { JOB_FIELDS } from '../../../src/jobs/job-fields.ts'
import type { Job } from '../../../src/jobs/job-shape.ts'
import { idTime, newId } from '../../../src/values/id.ts'

export interface JobFields extends Partial<Omit<Job, 'accountId' | 'apiKeyName' | 'createdAt' | 'errorCode'>> {
  readonly errorCode?: string
  readonly cause?: string
  readonly inputs?: object
}

/** A file that an engine has made, as a completion records it. */
export const AUDIO = {
  output: 'audio',
  storageKey: 'job_x/1/audio.wav',
  contentType: 'audio/wav',
  bytes: 44,
  sha256: Buffer.alloc(32),
  durationMs: 1,
}

/** A job id made at a moment. */
export function idAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0')
  return fromUUID(`${hex.slice(0, 8)}-${hex.slice(8)}${randomUUIDv7().slice(13)}`, 'job')
}

/** A job as its producer would have left it; returns its id. */
export async function insertJob(db: { readonly pool: Pool }, account: string, job: JobFields = {}): Promise<string> {
  const { id = newId('job'), type = 'voice', status = 'completed' } = job
  const isOver = status === 'completed' || status === 'failed'
  const createdAt = idTime(id)
  const row = {
    id,
    account_id: account,
    type,
    endpoint_key:
      job.endpointKey ??
      (type === 'voice' ? 'voice.tts' : type === 'generate' ? 'generate.portrait' : 'chat.companion'),
    status,
    inputs: JSON.stringify(job.inputs ?? { secret: 'inputs stay inside' }),
    webhook_url: 'https://hooks.example.com/stays-inside',
    created_at: createdAt,
    cause: job.cause ?? null,
    ...given(job),
    completed_at: isOver ? (job.completedAt ?? new Date(createdAt.getTime() + 1250)) : null,
    error_code: status === 'failed' ? (job.errorCode ?? 'RENDER_FAILED') : null,
  }
  const names = Object.keys(row)
  const places = names.map((_name, index) => `$${index + 1}`)
  await db.pool.query(`insert into job (${names.join(', ')}) values (${places.join(', ')})`, Object.values(row))
  return id
}

const given = (job: JobFields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(JOB_FIELDS).flatMap(([name, { column }]) => {
      const value = job[name as keyof JobFields]
      return value === undefined ? [] : [[column, value]]
    }),
  )
