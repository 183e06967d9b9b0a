import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { call } from '../../setup/http.ts'
import { allFinished, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type S3Fault, type S3Server, startS3Server } from '../../setup/servers/s3-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

/** So many that one job at least has been refused more often than a request to the store that does not wait. */
const KNOCKS = 15
const JOBS = 12
/** FAULT_SECONDS=60 is a whole minute. */
const AWAY_MS = Number(process.env.FAULT_SECONDS ?? 0) * 1000
const TIMEOUT_MS = 60_000 + AWAY_MS

let s3: S3Server
let service: TestRuntime
beforeAll(async () => {
  s3 = await startS3Server()
  service = await startTestRuntime({ worker: true, env: { ...s3.env, LOG_LEVEL: 'silent' } })
})
afterAll(async () => {
  await service.close()
  await s3.close()
})

test('a bucket that is away under load fails no job: what is rendered waits for it, and all complete once it is back', {
  timeout: TIMEOUT_MS * 2,
}, async () => {
  const { key } = await service.createCaller()
  const say = async (n: number) => submitText(service.url, key, 'tts', `Sentence number ${n}.`, 'aria')
  const first = await say(0)
  s3.goAway()
  const ids = [first, ...(await Promise.all(Array.from({ length: JOBS }, (_, n) => say(n + 1))))]
  const back = performance.now() + AWAY_MS
  await until(() => s3.knocks() >= KNOCKS && performance.now() > back, TIMEOUT_MS, 'jobs to wait for the bucket')
  const ready = () => call(`${service.url}/health/ready`)
  await until(async () => (await ready()).status === 503, TIMEOUT_MS, 'the process to say that it is not ready')
  expect((await ready()).json()).toMatchObject({ storage: 'away' })
  s3.comeBack()
  await allFinished(service.runtime, ids)
  const { rows } = await service.runtime.db.pool.query(
    'select status, count(*)::integer as jobs from job group by status',
  )
  expect(rows).toEqual([{ status: 'completed', jobs: ids.length }])
  await until(async () => (await ready()).status === 200, TIMEOUT_MS, 'the process to be ready')
  expect(await audit(service.runtime, ids, { door: { url: service.url, key } })).toEqual([])
})

const refuse =
  (status: number, code: string): S3Fault =>
  (_request, reply) => {
    reply.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
    return true
  }

test.each([
  ['takes the key no longer', refuse(403, 'AccessDenied'), 'away'],
  ['is deleted', refuse(404, 'NoSuchBucket'), 'away'],
  ['is full', refuse(507, 'XMinioStorageFull'), 'full'],
])(
  'a bucket that %s counts no attempt: the job waits without a try, and is completed once it is taken again',
  async (_what, fault, storage) => {
    const { key } = await service.createCaller()
    s3.interfere(fault)
    const id = await submitText(service.url, key, 'tts', 'Said once.', 'aria')
    const ready = () => call(`${service.url}/health/ready`)
    await until(async () => (await ready()).status === 503, TIMEOUT_MS, 'the process to say that it is not ready')
    expect((await ready()).json()).toMatchObject({ storage })
    s3.interfere(null)
    await allFinished(service.runtime, [id])
    const { rows } = await service.runtime.db.pool.query(
      'select status, attempt - hand_backs as counted, (select count(*)::int from credit_entry e where e.job_id = job.id) as entries from job where id = $1',
      [id],
    )
    expect(rows).toEqual([{ status: 'completed', counted: 1, entries: 1 }])
  },
)
