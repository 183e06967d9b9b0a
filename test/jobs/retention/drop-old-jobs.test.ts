import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dropOldAudio,
  dropOldChats,
  dropOldJobs,
  retentionBacklogSeconds,
} from '../../../src/jobs/retention/drop-old-jobs.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { newId } from '../../../src/values/id.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { ARTIFACT_DAYS, CHAT_DAYS, JOB_DAYS, RETENTION } from '../../setup/jobs/retention.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const DAY_MS = 86_400_000

let service: TestRuntime
let runtime: Runtime
beforeAll(async () => {
  service = await startTestRuntime({ env: RETENTION })
  runtime = service.runtime
})
afterAll(() => service.close())

const run = async (sql: string, values: unknown[] = []) => (await runtime.db.pool.query(sql, values)).rows
const ago = (days: number) => new Date(runtime.now().getTime() - days * DAY_MS)

/** A voice job of so many days ago, charged and, where it failed, given back; a completed one with stored audio. */
async function put(account: string, days: number, fields: JobFields = {}): Promise<string> {
  const at = ago(days)
  const id = await insertJob(runtime.db, account, { id: idAt(at), ...fields })
  const charge = 'insert into credit_entry (account_id, kind, amount, job_id, created_at) values ($1, $2, $3, $4, $5)'
  await run(charge, [account, 'charge', -5, id, at])
  if (fields.status === 'failed') await run(charge, [account, 'refund', 5, id, at])
  else await run('update account set credits = credits - 5 where id = $1', [account])
  if (fields.status !== undefined) return id
  const key = `${id}/1/audio.wav`
  await runtime.storage.put(key, randomBytes(8), { contentType: 'audio/wav' })
  await run(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, created_at)
     values ($1, $2, 'audio', $3, 'audio/wav', 8, $4, 10, $5)`,
    [newId('art', at), id, key, randomBytes(32), at],
  )
  return id
}

const there = async (ids: readonly string[]) =>
  (await run('select id from job where id = any($1) order by id', [ids])).map(({ id }) => id as string)
describe('retention', () => {
  test('deletes old jobs with their audio, changes nothing of the ledger, and keeps what has not ended', async () => {
    const { account, key } = await service.createCaller(1_000n)
    const months = [await put(account, 500), await put(account, 500.001), await put(account, 450)]
    const failed = await put(account, 480, { status: 'failed' })
    const unfinished = await put(account, 500, { status: 'processing' })
    const told = await put(account, 500)
    await run(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, next_attempt_at, created_at)
       values ($1, $2, 'job', $3, 'https://example.com', 1, 's', 'b', now() + interval '1 hour', now())`,
      [newId('msg'), account, told],
    )
    const young = await put(account, JOB_DAYS - 1)
    for (const id of [...months, young]) await run('insert into job_attempt (job_id, attempt) values ($1, 1)', [id])
    const ledger = await run('select * from credit_entry where account_id = $1 order by id', [account])
    expect((await retentionBacklogSeconds(runtime)).jobs / 86_400).toBeCloseTo(500 - JOB_DAYS, 1)
    await dropOldJobs(runtime)
    expect(await there([...months, failed, unfinished, told, young])).toEqual([unfinished, told, young].toSorted())
    expect(await run('select job_id from job_attempt')).toEqual([{ job_id: young }])
    for (const id of months) expect(await runtime.storage.stat(`${id}/1/audio.wav`)).toBeNull()
    expect(await runtime.storage.stat(`${told}/1/audio.wav`)).not.toBeNull()
    await run(`update webhook_delivery set state = 'failed', finished_at = now() where job_id = $1`, [told])
    await dropOldJobs(runtime)
    expect(await run('select * from credit_entry where account_id = $1 order by id', [account])).toEqual(ledger)
    const page = await call(`${service.url}/api/v1/jobs`, { key })
    expect(page.json()).toMatchObject({ total: 2 })
    expect((await retentionBacklogSeconds(runtime)).jobs).toBe(0)
    const [{ credits }] = await run('select credits::int from account where id = $1', [account])
    expect(credits).toBe(1_000 - 10 - 20)
  })

  test('of deleted audio the job keeps its outputs, whose URLs answer 410', async () => {
    await dropOldAudio(runtime)
    await run('delete from retention_progress')
    const { account, key } = await service.createCaller(1_000n)
    const [old, young] = [await put(account, ARTIFACT_DAYS + 1), await put(account, ARTIFACT_DAYS - 1)]
    const audioOf = async (id: string) => {
      const { outputs } = (await call(`${service.url}/api/v1/voice/jobs/${id}`, { key })).json<{
        outputs: { audio: string }
      }>()
      return call(outputs.audio)
    }
    expect((await audioOf(old)).status).toBe(200)
    expect((await retentionBacklogSeconds(runtime)).audio / 86_400).toBeCloseTo(1, 1)
    await dropOldAudio(runtime)
    const gone = await audioOf(old)
    expect(gone.status).toBe(410)
    expect(gone.json()).toMatchObject({ error_code: 'GONE' })
    expect((await audioOf(young)).status).toBe(200)
    expect((await retentionBacklogSeconds(runtime)).audio).toBe(0)
    const query = `{ job(jobId: "${old}") { ... on VoiceJob { artifacts { deletedAt } } } }`
    const shown = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query } })
    expect(shown.json()).toMatchObject({ data: { job: { artifacts: [{ deletedAt: expect.any(String) }] } } })
    await dropOldAudio(runtime)
  })

  test('what a purge that was killed has left half-way is deleted by the next one', async () => {
    const account = await service.createAccount(1_000n)
    const [audio, whole] = [await put(account, ARTIFACT_DAYS + 2), await put(account, JOB_DAYS + 2)]
    await run(`delete from retention_progress`)
    // Its bytes were gone, nothing was noted.
    for (const id of [audio, whole]) await runtime.storage.deleteBelow(id)
    await dropOldAudio(runtime)
    await dropOldJobs(runtime)
    expect(await there([audio, whole])).toEqual([audio])
    expect(await run('select deleted_at is null as kept from artifact where job_id = $1', [audio])).toEqual([
      { kept: false },
    ])
  })

  test('asks the store for the files of jobs that may have some, and of no others', async () => {
    const account = await service.createAccount(1_000n)
    const [stored, abandoned, heard] = [
      await put(account, 460),
      await put(account, 460, { status: 'failed' }),
      await put(account, 460),
    ]
    await run('insert into abandoned_attempt (job_id, attempt) values ($1, 1)', [abandoned])
    await run('insert into heard_attempt (job_id, attempt) values ($1, 1)', [heard])
    const without = [await put(account, 460, { status: 'failed' }), await put(account, 460)]
    await run('update artifact set deleted_at = now() where job_id = any($1)', [[...without, heard]])
    const asked: string[] = []
    const { storage } = runtime
    await dropOldJobs({
      ...runtime,
      storage: Object.assign(Object.create(storage), {
        deleteBelow: (folder: string) => storage.deleteBelow(folder).finally(() => asked.push(folder)),
      }),
    })
    expect(asked.toSorted()).toEqual([stored, abandoned, heard].toSorted())
    expect(await there([stored, abandoned, heard, ...without])).toEqual([])
  })

  test('chats go by their last turn, and not while a job is at work on one', async () => {
    const account = await service.createAccount()
    const chat = async (days: number) => {
      const id = newId('chat')
      await run('insert into companion_chat (id, account_id, updated_at) values ($1, $2, $3)', [id, account, ago(days)])
      await run(`insert into companion_turn values ($1, 1, 'user', 'Hello')`, [id])
      return id
    }
    const [old, used, young] = [await chat(CHAT_DAYS + 1), await chat(CHAT_DAYS + 1), await chat(CHAT_DAYS - 1)]
    await insertJob(runtime.db, account, { type: 'companion_chat', status: 'processing', chatId: used })
    await dropOldChats(runtime)
    const left = (await run('select id from companion_chat where account_id = $1', [account])).map(({ id }) => id)
    expect(left.toSorted()).toEqual([used, young].toSorted())
    expect(await run('select from companion_turn where chat_id = $1', [old])).toEqual([])
  })

  test('keeps everything for ever unless a setting says otherwise', async () => {
    const account = await service.createAccount(1_000n)
    const id = await put(account, 5_000)
    const forever = {
      ...runtime,
      settings: { ...runtime.settings, retention: { jobDays: 0, archiveDays: 0, artifactDays: 0, chatDays: 0 } },
    }
    for (const drop of [dropOldJobs, dropOldAudio, dropOldChats]) await drop(forever)
    expect(await there([id])).toEqual([id])
    expect(await runtime.storage.stat(`${id}/1/audio.wav`)).not.toBeNull()
    expect(await retentionBacklogSeconds(forever)).toEqual({ jobs: 0, audio: 0, chats: 0 })
  })
})
