import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/values/id.ts'
import { maintain } from '../../src/worker/maintenance.ts'
import { idAt, insertJob } from '../setup/jobs/jobs.ts'
import { ARTIFACT_DAYS, CHAT_DAYS, JOB_DAYS, RETENTION } from '../setup/jobs/retention.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const SOON_MS = 60_000
const DAY_MS = 86_400_000

let service: TestRuntime
let account: string
beforeAll(async () => {
  service = await startTestRuntime({ env: RETENTION })
  account = await service.createAccount()
})
afterAll(() => service.close())

const run = async (sql: string, values: unknown[]) => (await service.runtime.db.pool.query(sql, values)).rows
const ago = (days: number) => new Date(service.runtime.now().getTime() - days * DAY_MS)
const keyOf = (id: string) => `${id}/1/audio.wav`

/** A completed job of so many days ago, with its audio. */
async function job(days: number): Promise<string> {
  const at = ago(days)
  const id = await insertJob(service.runtime.db, account, { id: idAt(at) })
  await service.runtime.storage.put(keyOf(id), randomBytes(8), { contentType: 'audio/wav' })
  await run(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, created_at)
     values ($1, $2, 'audio', $3, 'audio/wav', 8, $4, 10, $5)`,
    [newId('art', at), id, keyOf(id), randomBytes(32), at],
  )
  return id
}

async function chat(days: number): Promise<string> {
  const id = newId('chat')
  await run('insert into companion_chat (id, account_id, updated_at) values ($1, $2, $3)', [id, account, ago(days)])
  return id
}

const left = async (table: 'job' | 'companion_chat') =>
  (await run(`select id from ${table} where account_id = $1`, [account])).map(({ id }) => id as string)
const heard = async () =>
  (
    await run(
      'select job_id from artifact a join job j on j.id = job_id where account_id = $1 and deleted_at is null',
      [account],
    )
  ).map((row) => row.job_id as string)
const stored = async (id: string) => (await service.runtime.storage.stat(keyOf(id))) !== null

test('the maintenance of a worker deletes old jobs, old audio and old chats by their settings, and no younger ones', async () => {
  const [oldJob, oldAudio, young] = [
    await job(JOB_DAYS + 1),
    await job(ARTIFACT_DAYS + 1),
    await job(ARTIFACT_DAYS - 1),
  ]
  const [, youngChat] = [await chat(CHAT_DAYS + 1), await chat(CHAT_DAYS - 1)]
  const end = maintain(service.runtime)
  const soon = { timeout: SOON_MS }
  await expect.poll(async () => (await left('job')).toSorted(), soon).toEqual([oldAudio, young].toSorted())
  await expect.poll(heard, soon).toEqual([young])
  await expect.poll(() => left('companion_chat'), soon).toEqual([youngChat])
  await end()
  expect([await stored(oldJob), await stored(oldAudio), await stored(young)]).toEqual([false, false, true])
})
