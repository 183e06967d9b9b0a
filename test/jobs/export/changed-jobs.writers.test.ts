import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import { dropOldJobs } from '../../../src/jobs/retention/drop-old-jobs.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { type Change, pullChanges } from '../../setup/jobs/changes.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { JOB_DAYS, RETENTION } from '../../setup/jobs/retention.ts'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../../setup/jobs/workflows.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { makeSettable, setDatabaseClock } from '../../setup/postgres/settable-clock.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { COMPANION_SCOPES, type Producers, startProducers } from '../../setup/service/producers.ts'
import { until } from '../../setup/wait.ts'

const DEADLINE_MS = 60_000
const DAY_MS = 86_400_000
const SCOPES = [...COMPANION_SCOPES, 'generate:voice', 'job:read']

let [admin, database]: [Client, TestDatabase] = [] as never
let service: Producers
let [owner, key] = ['', '']
beforeAll(async () => {
  database = await createTestDatabase('opened')
  const settings = readSettings({ DATABASE_URL: database.url, DATA_DIR: await makeTempDir() })
  await (await openRuntime(settings, openLog('silent'), { supervise: false })).close()
  admin = new Client({ connectionString: database.url })
  await admin.connect()
  await makeSettable(admin)
  const env = { DATABASE_URL: database.url, ...RETENTION }
  service = await startProducers(({ url }) => ({ ...env, COMPANION_BASE_URL: url }), { worker: true })
  await applyEndpoint(service.runtime, 'calm')
  await applyWorkflow(service.runtime, 'portrait', { base_url: service.provider.url, max_in_flight: 4 })
  owner = await service.createAccount()
  key = (await service.createKey(owner, SCOPES)).apiKey
}, DEADLINE_MS)
afterAll(async () => {
  vi.useRealTimers()
  await service.close()
  await admin.end()
  await database.drop()
  await cleanUp()
})

let cursor = ''
const last = new Map<string, Change>()
const pull = async () => {
  const answer = await pullChanges(service.url, key, cursor === '' ? '' : `?since=${cursor}`)
  cursor = answer.cursor
  for (const row of answer.rows) last.set(row.job_id, row)
  return answer
}
/** Pulls until the last row of a job is so. */
const told = (id: string, isIt: (row: Change) => boolean) =>
  until(
    async () => {
      await pull()
      const row = last.get(id)
      return row !== undefined && isIt(row)
    },
    DEADLINE_MS,
    `the change of ${id}`,
  )
const submit = async (path: string, body: object) =>
  (await service.send<{ job_id: string }>(path, key, body)).body.job_id
const speak = (slug: string) => submit(`/voice/${slug}`, { inputs: { text: 'Hello.', voice: 'calm' } })
const operator = () => service.runtime.as({ kind: 'system' })
const hasStatus = (status: string) => (row: Change) => row.status === status

describe('every writer of a job', () => {
  test('is followed: speech, a workflow and a chat up to their ends', async () => {
    for (const id of [
      await speak('calm'),
      await submit('/generate/portrait', { inputs: { prompt: 'A lighthouse' } }),
      await submit('/companion/chat', { message: 'Hello' }),
    ])
      await told(id, hasStatus('completed'))
  })

  test('is followed: a submission that nobody takes, its cancellation and its deletion', async () => {
    const id = await insertJob(service.runtime.db, owner, { status: 'queued', endpointKey: 'voice.calm' })
    await service.runtime.db.pool.query('update job set webhook_url = null where id = $1', [id])
    await told(id, hasStatus('queued'))
    await cancelJob(operator(), { jobId: id })
    await told(id, (row) => row.status === 'failed' && row.error_code === 'JOB_CANCELLED')
    await deleteJob(operator(), { jobId: id })
    await told(id, (row) => row.deleted_at !== null && row.status === null)
  })

  test('is followed: a lost job that is rescued and then runs', async () => {
    const id = await insertJob(service.runtime.db, owner, { status: 'queued', endpointKey: 'voice.calm' })
    await service.runtime.db.pool.query(
      `update job set inputs = '{"text":"Hello.","voice":"calm"}', created_at = created_at - interval '1 hour', webhook_url = null where id = $1`,
      [id],
    )
    await told(id, hasStatus('queued'))
    await requeueLostJobs(service.runtime)
    await told(id, (row) => row.status === 'completed' || row.status === 'failed')
  })

  test('is followed: retention', async () => {
    const id = await insertJob(service.runtime.db, owner)
    await told(id, hasStatus('completed'))
    const { runtime } = service
    await dropOldJobs({ ...runtime, now: () => new Date(runtime.now().getTime() + (JOB_DAYS + 1) * DAY_MS) })
    await told(id, (row) => row.deleted_at !== null)
  })
})

describe('a clock that is set', () => {
  test.each([-30 * DAY_MS, 30 * DAY_MS, 0])('%s ms off loses no change and tells none twice', async (offMs) => {
    const before = await insertJob(service.runtime.db, owner)
    await told(before, hasStatus('completed'))
    const unread = await insertJob(service.runtime.db, owner)
    await setDatabaseClock(admin, offMs)
    const after = await insertJob(service.runtime.db, owner, { status: 'processing' })
    const seen = (await pull()).rows.map(({ job_id }) => job_id)
    expect(seen.filter((id) => [before, unread, after].includes(id)).sort()).toEqual([unread, after].sort())
    await service.runtime.db.pool.query('update job set attempt = 2 where id = $1', [after])
    expect((await pull()).rows).toMatchObject([{ job_id: after, attempts: 2 }])
    expect((await pull()).rows).toEqual([])
  })
})
