import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { voiceKind } from '../../../src/queue/job-kind.ts'
import { claimQueued } from '../../../src/queue/pgboss/fair-source.ts'
import { newId } from '../../../src/values/id.ts'
import { rescueDeadWorkersJobs } from '../../../src/worker/register-worker.ts'
import { call } from '../../setup/http.ts'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../../setup/jobs/workflows.ts'
import { ask, errorOf, mutation, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 30_000
const SPEAK = mutation(
  'submitVoiceJob(slug: "plain", inputs: {text: "Hello.", voice: "calm"}, live: $live, options: $options, idempotencyKey: $key)',
  '... on VoiceJobSubmission { jobId }',
  '($live: Boolean, $options: SubmitOptions, $key: String)',
)
const RUN = mutation(
  'submitGeneration(slug: "sketch", inputs: { prompt: "A fox." }, options: $options)',
  '... on GenerationSubmission { jobId }',
  '($options: SubmitOptions)',
)
const RETRY = mutation('retryJob(jobId: $id)', '... on RetryJobSuccess { job { id } }', '($id: ID!)')
const INTERACTIVE = { options: { priority: 'INTERACTIVE' } }
const BATCH = { options: { priority: 'BATCH' } }

/** No worker takes the jobs, so their rows stay in the queue. */
describe('the priority of a job', () => {
  let service: TestRuntime
  let key: string
  beforeAll(async () => {
    service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
    await applyEndpoint(service.runtime, 'plain', {}, { openai: { models: ['loud'] } })
    await applyWorkflow(service.runtime, 'sketch', { base_url: 'http://127.0.0.1:7' })
    const { account } = await service.createCaller()
    key = (await service.createKey(account, ['generate:voice', 'generate:workflow', 'jobs:read'])).apiKey
  })
  afterAll(() => service.close())

  const query = async <Row extends object>(text: string, values: unknown[]) =>
    (await service.runtime.db.pool.query<Row>(text, values)).rows
  const speak = async (variables: object) =>
    (await read<{ submitVoiceJob: { jobId: string } }>(service.url, key, SPEAK, variables)).submitVoiceJob.jobId
  const run = async (variables: object) =>
    (await read<{ submitGeneration: { jobId: string } }>(service.url, key, RUN, variables)).submitGeneration.jobId
  /** The queue's own field, by which workers choose. */
  const priorityOf = async (id: string) => {
    const rows = await query<{ priority: number }>(`select priority from pgboss.job where data->>'jobId' = $1`, [id])
    return rows.map(({ priority }) => (priority > 0 ? 'interactive' : 'batch')).join()
  }
  const failed = async (id: string) => {
    await query(`delete from pgboss.job where data->>'jobId' = $1`, [id])
    const ended = `status = 'failed', error_code = 'RENDER_FAILED', completed_at = now()`
    await query(`update job set ${ended} where id = $1`, [id])
    return id
  }
  const retried = async (id: string) =>
    (await read<{ retryJob: { job: { id: string } } }>(service.url, key, RETRY, { id })).retryJob.job.id

  test.each<[string, string, object]>([
    ['batch', 'without options', {}],
    ['interactive', 'with live', { live: true }],
    ['interactive', 'that asks for it', INTERACTIVE],
    ['batch', 'with live that asks for batch', { live: true, ...BATCH }],
    ['batch', 'with live false', { live: false }],
  ])('is %s for a submission %s', async (expected, _which, variables) => {
    const id = await speak(variables)
    expect(await priorityOf(id)).toBe(expected)
    expect(await priorityOf(await retried(await failed(id)))).toBe(expected)
  })

  test('of a generation is batch unless it asks, and its repetition keeps it', async () => {
    expect(await priorityOf(await run({}))).toBe('batch')
    const id = await run(INTERACTIVE)
    expect(await priorityOf(id)).toBe('interactive')
    expect(await priorityOf(await retried(await failed(id)))).toBe('interactive')
  })

  test("is interactive at OpenAI's door", async () => {
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'loud', input: 'Who waits for this?', voice: 'calm' })
    const answer = fetch(`${service.url}/v1/audio/speech`, { method: 'POST', headers, body, signal: gone.signal })
    const queued = async () =>
      (await query<{ id: string }>(`select id from job where inputs->>'text' = 'Who waits for this?'`, []))[0]?.id
    const id = (await until(queued, TIMEOUT_MS, 'the job')) as string
    expect(await priorityOf(id)).toBe('interactive')
    gone.abort()
    await answer.catch(() => undefined)
  })

  test('stays where its place in the queue is lost and made anew', async () => {
    const ids = [await speak({ live: true }), await speak({ live: true, ...BATCH }), await run(INTERACTIVE)]
    await query(`delete from pgboss.job where data->>'jobId' = any($1)`, [ids])
    await query(`update job set created_at = now() - interval '1 minute' where id = any($1)`, [ids])
    await until(async () => (await requeueLostJobs(service.runtime)) >= ids.length, TIMEOUT_MS, 'the places')
    expect(await Promise.all(ids.map(priorityOf))).toEqual(['interactive', 'batch', 'interactive'])
  })

  test('stays where a worker dies with the job, and the next one takes it by it', async () => {
    const [awaited, other] = [await speak({ live: true }), await speak({})]
    const claimBy = async (workerId: string) => {
      const after = { served: '', awaited: '', inARow: 0 }
      const claim = { queue: voiceKind('espeak').queue, free: 100, after, workerId, rooms: [] }
      const { deliveries: claimed } = await claimQueued(service.runtime.db, claim)
      return [awaited, other].map((id) => claimed.find(({ jobId }) => jobId === id)?.isAwaited)
    }
    const dead = newId('wrk')
    await query(
      `insert into worker (id, host, version, slots, in_flight, gpus, heartbeat_at)
       values ($1, 'gone', '1', 1, 1, '[]', now() - interval '1 hour')`,
      [dead],
    )
    expect(await claimBy(dead)).toEqual([true, false])
    expect(await rescueDeadWorkersJobs(service.runtime)).toBeGreaterThanOrEqual(2)
    expect([await priorityOf(awaited), await priorityOf(other)]).toEqual(['interactive', 'batch'])
    expect(await claimBy(newId('wrk'))).toEqual([true, false])
  })

  test('belongs to the request that an idempotency key stands for', async () => {
    const first = await speak({ key: 'lane', ...INTERACTIVE })
    expect(await speak({ key: 'lane', ...INTERACTIVE })).toBe(first)
    expect(errorOf(await ask(service.url, key, SPEAK, { key: 'lane', ...BATCH }))).toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    })
  })

  test('that is none is refused before anything is made', async () => {
    const body = { query: SPEAK, variables: { options: { priority: 'URGENT' } } }
    const answer = await call(`${service.url}/graphql`, { method: 'POST', key, body })
    expect(answer.text).toContain('INVALID_REQUEST')
    expect(answer.text).toContain('priority')
  })
})
