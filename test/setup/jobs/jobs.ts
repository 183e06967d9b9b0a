import { randomUUIDv7 } from 'node:crypto'
import type { Pool } from 'pg'
import { fromUUID } from 'typeid-js'
import { idTime, newId } from '../../../src/values/id.ts'

export interface JobFields {
  readonly id?: string
  readonly type?: 'voice' | 'companion_chat' | 'companion_retarget' | 'companion_media_tag' | 'generate'
  readonly endpointKey?: string
  readonly status?: 'queued' | 'processing' | 'completed' | 'failed'
  readonly apiKeyId?: string | null
  readonly completedAt?: Date
  readonly errorCode?: string
  readonly cause?: string
  readonly isProhibited?: boolean
  readonly reason?: string
  readonly chatId?: string
  readonly mediaUrl?: string
  readonly mediaKind?: string
  readonly providerJobId?: string
  readonly gpuExecutionTimeMs?: number
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
    api_key_id: job.apiKeyId ?? null,
    inputs: '{"secret":"inputs stay inside"}',
    webhook_url: 'https://hooks.example.com/stays-inside',
    created_at: createdAt,
    completed_at: isOver ? (job.completedAt ?? new Date(createdAt.getTime() + 1250)) : null,
    error_code: status === 'failed' ? (job.errorCode ?? 'RENDER_FAILED') : null,
    cause: job.cause ?? null,
    is_prohibited: job.isProhibited ?? null,
    reason: job.reason ?? null,
    chat_id: job.chatId ?? null,
    media_url: job.mediaUrl ?? null,
    media_kind: job.mediaKind ?? null,
    provider_job_id: job.providerJobId ?? null,
    gpu_execution_time_ms: job.gpuExecutionTimeMs ?? null,
  }
  const names = Object.keys(row)
  const places = names.map((_name, index) => `$${index + 1}`)
  await db.pool.query(`insert into job (${names.join(', ')}) values (${places.join(', ')})`, Object.values(row))
  return id
}
