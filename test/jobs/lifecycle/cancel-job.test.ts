import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SpeechRequest } from '../../../src/engines/engine.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call } from '../../setup/http.ts'
import type { VoiceJob } from '../../setup/jobs/fixtures.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { sonantOn } from '../../setup/processes/process.ts'
import { errorOf, mutation } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
/** A running job stops within 300 ms; the rest is the noise of a shared machine. */
const ABORT_DEADLINE_MS = 10_000
const CREDITS = 10_000n
const CANCEL = mutation('cancelJob(jobId: $id)', '... on Job { id status errorCode completedAt }', '($id: ID!)')

type Cancelled = { data: { cancelJob: { status: string; errorCode: string | null } } | null; errors?: unknown[] }

describe('cancelJob', () => {
  let service: TestRuntime
  let worker: Worker
  const speaking = new Map<string, SpeechRequest>()

  beforeAll(async () => {
    service = await startTestRuntime()
    await applyEndpoint(service.runtime, 'held', { pool: 'held' })
    await applyEndpoint(service.runtime, 'idle', { pool: 'unserved' })
    await applyEndpoint(service.runtime, 'hasty', { pool: 'held' }, { time_limit_seconds: 4 })
    // The text decides what becomes of it: "Quick" ones are spoken at once, all others go on until they are stopped.
    const engines = standInEngines((request) => {
      speaking.set(request.text, request)
      return request.text.startsWith('Quick') ? undefined : new Promise(() => undefined)
    })
    worker = await startWorker(service.runtime, { pools: ['held'], engines })
  })
  afterAll(async () => {
    await worker.stop()
    await service.close()
  })

  const cancel = async (key: string, id: string) => {
    const body = { query: CANCEL, variables: { id } }
    return (await call(`${service.url}/graphql`, { method: 'POST', key, body })).json<Cancelled>()
  }
  const balance = async (account: string) =>
    (await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })).credits
  const queueRows = async (id: string) =>
    (await service.runtime.db.pool.query(`select state from pgboss.job where data->>'jobId' = $1`, [id])).rows

  test('a queued job fails as JOB_CANCELLED at once, is never rendered and leaves the queue', async () => {
    const caller = await service.createCaller(CREDITS)
    const id = await submitText(service.url, caller.key, 'idle', 'Never spoken.')
    const answer = await cancel(caller.key, id)
    expect(answer.data?.cancelJob).toMatchObject({ status: 'FAILED', errorCode: 'JOB_CANCELLED' })
    expect(await readJob(service.url, caller.key, id)).toMatchObject({ status: 'failed', error_code: 'JOB_CANCELLED' })
    expect(await queueRows(id)).toEqual([])
    expect(await balance(caller.account)).toBe(CREDITS)
    expect(await audit(service.runtime, [id])).toEqual([])
  })

  test('a running job stops its engine at once and gets its charge back', async () => {
    const caller = await service.createCaller(CREDITS)
    const text = 'Cancelled in the middle.'
    const id = await submitText(service.url, caller.key, 'held', text)
    await until(() => speaking.get(text), TIMEOUT_MS, 'the engine to speak')
    expect(await balance(caller.account)).toBe(CREDITS - BigInt(text.length))
    const { signal } = speaking.get(text)!
    const stopped = new Promise<number>((resolve) =>
      signal.addEventListener('abort', () => resolve(performance.now()), { once: true }),
    )
    const asked = performance.now()
    await cancel(caller.key, id)
    expect((await stopped) - asked).toBeLessThan(ABORT_DEADLINE_MS)
    expect(await balance(caller.account)).toBe(CREDITS)
    await until(async () => (await queueRows(id))[0]?.state === 'completed', TIMEOUT_MS, 'the queue row to end')
    expect(await audit(service.runtime, [id])).toEqual([])
  })

  test('a running job whose worker missed that it was cancelled, or claimed by another, stops all the same', async () => {
    const { account, key } = await service.createCaller(CREDITS)
    const [cancelled, taken] = ['Cancelled unheard.', 'Claimed by another.']
    const ids = await Promise.all([cancelled, taken].map((text) => submitText(service.url, key, 'held', text)))
    await until(() => speaking.has(cancelled) && speaking.has(taken), TIMEOUT_MS, 'the engine to speak')
    const caller = service.runtime.as({ kind: 'account', accountId: account, credits: CREDITS })
    await cancelJob({ ...caller, queue: { ...caller.queue, abort: () => undefined } }, { jobId: ids[0]! })
    await service.runtime.db.pool.query('update job set attempt = attempt + 1 where id = $1', [ids[1]])
    const stopped = () => [cancelled, taken].every((text) => speaking.get(text)?.signal.aborted)
    await until(stopped, TIMEOUT_MS, 'both to be stopped')
    await until(async () => (await queueRows(ids[0]!))[0]?.state === 'completed', TIMEOUT_MS, 'the queue row to end')
    expect(await readJob(service.url, key, ids[0]!)).toMatchObject({ error_code: 'JOB_CANCELLED' })
    expect((await service.runtime.db.prisma.job.findUniqueOrThrow({ where: { id: ids[1]! } })).status).toBe(
      'processing',
    )
  })

  test('a finished job stays as it is, and cancelling twice answers the same', async () => {
    const caller = await service.createCaller(CREDITS)
    const id = await submitText(service.url, caller.key, 'held', 'Quick as a flash.')
    await allFinished(service.runtime, [id])
    const before = await readJob(service.url, caller.key, id)
    expect((await cancel(caller.key, id)).data?.cancelJob).toMatchObject({ status: 'COMPLETED', errorCode: null })
    const plain = ({ outputs: _signedAnew, ...job }: VoiceJob) => job
    expect(plain(await readJob(service.url, caller.key, id))).toEqual(plain(before))

    const other = await submitText(service.url, caller.key, 'idle', 'Twice.')
    expect(await cancel(caller.key, other)).toEqual(await cancel(caller.key, other))
    expect(await audit(service.runtime, [id, other])).toEqual([])
  })

  test("another account's job, an unknown one and a malformed id are the same NOT_FOUND", async () => {
    const [owner, other] = [await service.createCaller(), await service.createCaller()]
    const id = await submitText(service.url, owner.key, 'idle', 'Mine.')
    const errors = await Promise.all(
      [id, id.replace(/.{4}$/, '0000'), 'job_1'].map(async (wrong) => {
        const { requestId: _own, ...error } = errorOf(await cancel(other.key, wrong))!
        return error
      }),
    )
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1)
    expect(errors[0]).toMatchObject({ code: 'NOT_FOUND' })
    expect(await readJob(service.url, owner.key, id)).toMatchObject({ status: 'queued' })
  })

  test('a key without generate:voice may not cancel', async () => {
    const account = await service.createAccount()
    const [able, reader] = [await service.createKey(account), await service.createKey(account, ['job:read'])]
    const id = await submitText(service.url, able.apiKey, 'idle', 'Still waiting.')
    const { errors } = await cancel(reader.apiKey, id)
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })

  test('cancelling and completing at the same time end in one of the two, with the books in order', async () => {
    const caller = await service.createCaller()
    const texts = Array.from({ length: 40 }, (_, index) => `Quick race ${index}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, caller.key, 'held', text)))
    await Promise.all(ids.map((id) => cancel(caller.key, id)))
    await allFinished(service.runtime, ids)
    const jobs = await Promise.all(ids.map((id) => readJob(service.url, caller.key, id)))
    for (const job of jobs) expect([undefined, 'JOB_CANCELLED']).toContain(job.error_code)
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('the operator cancels any job with sonant jobs cancel', async () => {
    const caller = await service.createCaller()
    const id = await submitText(service.url, caller.key, 'idle', 'By the operator.')
    const { databaseUrl, dataDir } = service.runtime.settings
    const env = { DATABASE_URL: databaseUrl ?? '', DATA_DIR: dataDir }
    const answer = await sonantOn(env, 'jobs', 'cancel', id)
    expect(answer).toEqual({ job_id: id, status: 'failed', error_code: 'JOB_CANCELLED' })
  })

  test('a job past its time limit stops its engine and fails as JOB_TIMEOUT', async () => {
    const caller = await service.createCaller(CREDITS)
    const text = 'Longer than four seconds.'
    const id = await submitText(service.url, caller.key, 'hasty', text)
    await allFinished(service.runtime, [id])
    expect(speaking.get(text)?.signal.aborted).toBe(true)
    expect(await readJob(service.url, caller.key, id)).toMatchObject({ error_code: 'JOB_TIMEOUT' })
    expect(await balance(caller.account)).toBe(CREDITS)
  })

  const EACH = 'jobId job { id status errorCode } error { code message }'
  type Each = { jobId: string; job: { id: string; status: string } | null; error: { code: string } | null }
  const send = async (key: string, query: string, ids: readonly string[]) =>
    (await call(`${service.url}/graphql`, { method: 'POST', key, body: { query, variables: { ids } } })).json<{
      data: Record<string, { results: Each[] }>
      errors?: { extensions: { code: string } }[]
    }>()
  const cancelAll = (key: string, ids: readonly string[]) =>
    send(
      key,
      mutation('cancelJobs(ids: $ids)', `... on CancelJobsSuccess { results { ${EACH} } }`, '($ids: [ID!]!)'),
      ids,
    )
  const retryAll = (key: string, ids: readonly string[]) =>
    send(
      key,
      mutation('retryJobs(ids: $ids)', `... on RetryJobsSuccess { results { ${EACH} } }`, '($ids: [ID!]!)'),
      ids,
    )

  test('of several ids each is cancelled, and retried, by itself: a bad one fails alone', async () => {
    const [caller, other] = [await service.createCaller(CREDITS), await service.createCaller(CREDITS)]
    const mine = [
      await submitText(service.url, caller.key, 'idle', 'One.'),
      await submitText(service.url, caller.key, 'idle', 'Two.'),
    ]
    const foreign = await submitText(service.url, other.key, 'idle', 'Another account.')
    const asked = [mine[0]!, foreign, 'job_x', mine[1]!, mine[0]!]
    const { data } = await cancelAll(caller.key, asked)
    expect(data.cancelJobs!.results).toEqual([
      { jobId: mine[0], job: { id: mine[0], status: 'FAILED', errorCode: 'JOB_CANCELLED' }, error: null },
      { jobId: foreign, job: null, error: { code: 'NOT_FOUND', message: expect.any(String) } },
      { jobId: 'job_x', job: null, error: { code: 'NOT_FOUND', message: expect.any(String) } },
      { jobId: mine[1], job: { id: mine[1], status: 'FAILED', errorCode: 'JOB_CANCELLED' }, error: null },
    ])
    expect(await balance(caller.account)).toBe(CREDITS)
    expect(await readJob(service.url, other.key, foreign)).toMatchObject({ status: 'queued' })
    const retried = (await retryAll(caller.key, [mine[0]!, foreign, mine[1]!])).data.retryJobs!.results
    expect(retried.map(({ job, error }) => [job?.status, error?.code])).toEqual([
      ['QUEUED', undefined],
      [undefined, 'NOT_FOUND'],
      ['QUEUED', undefined],
    ])
    expect(retried.every(({ job }) => !mine.includes(job?.id ?? ''))).toBe(true)
    const again = (await retryAll(caller.key, [retried[0]!.job!.id])).data.retryJobs!.results
    expect(again.map(({ error }) => error?.code)).toEqual(['INVALID_REQUEST'])
  })

  test('an id that its key may not retry, or that its account cannot pay, fails with the code of a single one', async () => {
    const { key, account } = await service.createCaller(CREDITS)
    const id = await submitText(service.url, key, 'idle', 'Not again.')
    await cancel(key, id)
    const codesOf = async (by: string) =>
      (await retryAll(by, [id])).data.retryJobs!.results.map(({ error }) => error?.code)
    const { apiKey } = await service.createKey(account, ['generate:workflow'])
    expect(await codesOf(apiKey)).toEqual(['FORBIDDEN'])
    await service.runtime.db.pool.query('update account set credits = 0 where id = $1', [account])
    expect(await codesOf(key)).toEqual(['PAYMENT_REQUIRED'])
  })

  test('several ids are 1 to 100, and need the scopes of one', async () => {
    const { key, account } = await service.createCaller(CREDITS)
    const tooMany = Array.from({ length: 101 }, (_id, n) => `job_${n}`)
    for (const all of [cancelAll, retryAll]) {
      for (const ids of [[], tooMany])
        expect(errorOf(await all(key, ids))).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path: '/ids' }] })
      const { apiKey } = await service.createKey(account, ['job:read'])
      expect((await all(apiKey, ['job_x'])).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    }
  })
})
