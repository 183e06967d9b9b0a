import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { JobFailure } from '../../src/jobs/job-states.ts'
import { endJob } from '../../src/jobs/lifecycle/end-jobs.ts'
import { recordProvenance } from '../../src/jobs/lifecycle/produce.ts'
import { readCsv } from '../setup/checks/csv.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { applyWorkflow } from '../setup/jobs/workflows.ts'
import { prediction, type Script } from '../setup/servers/provider-server.ts'
import { mutation } from '../setup/service/graphql.ts'
import { type Producers, startProducers } from '../setup/service/producers.ts'
import { until } from '../setup/wait.ts'

const DEADLINE_MS = 60_000
/** Longer than any test: it is over when a test says so. */
const LIMIT_SECONDS = 777
const SCOPES = ['generate:workflow', 'job:read']
const ID = 'prediction-1'
const GIVEN = { providerJobId: ID, gpuExecutionTimeMs: 1500 }
const UNDER_WAY: Script = { status: 202, body: { id: ID, status: 'processing' } }
const CANCELLED: Script = { body: { id: ID, status: 'canceled', metrics: { predict_time: 1.5 } } }

let service: Producers
let key: string
beforeAll(async () => {
  service = await startProducers(() => ({}), { worker: true })
  const engine = { base_url: service.provider.url, max_in_flight: 4, busy_patience_seconds: 1, retry_seconds: 1 }
  await applyWorkflow(service.runtime, 'portrait', engine)
  await applyWorkflow(service.runtime, 'quick', engine, { time_limit_seconds: LIMIT_SECONDS })
  key = await service.newKey(SCOPES)
})
afterAll(() => service.close())
beforeEach(() => service.provider.reset())
afterEach(() => vi.restoreAllMocks())

/** Submits a job whose prediction begins with this answer. */
async function begin(script: Script, slug = 'portrait'): Promise<string> {
  service.provider.script('/predictions', script)
  const { body } = await service.send<{ job_id: string }>(`/generate/${slug}`, key, {
    inputs: { prompt: 'A lighthouse' },
  })
  return body.job_id
}

/** Ends the time of the jobs that begin from now on when it is called: a job that waits for a busy machine has its prediction all the same. */
function holdTime(): () => void {
  const { setTimeout: start } = globalThis
  let end = (): void => undefined
  const held = (work: () => void, ms?: number) => {
    if (ms !== LIMIT_SECONDS * 1000) return start(work, ms)
    end = work
    return start(() => undefined, ms)
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(held as typeof setTimeout)
  return () => end()
}

/** Until the server has been asked for this. */
const asked = (path: string) => until(() => service.provider.of(path).length > 0, DEADLINE_MS, `a request for ${path}`)

/** Reads a failed job from GraphQL and the export, once all of `shown` is there. */
async function shows(id: string, errorCode: string, shown: object): Promise<void> {
  const both = async () => [await asGraphql(id), await asCsv(id)]
  const expected = { errorCode, ...shown }
  await expect.poll(both, { timeout: DEADLINE_MS }).toEqual([expected, expected])
}

async function asGraphql(id: string): Promise<object | null> {
  const fields = '... on GenerationJob { errorCode providerJobId gpuExecutionTimeMs }'
  const { data } = await service.graphql<{ job: object }>(key, `query ($id: ID!) { job(jobId: $id) { ${fields} } }`, {
    id,
  })
  return data.job
}

async function asCsv(id: string): Promise<object> {
  const [from, to] = [Date.now() - 3_600_000, Date.now() + 3_600_000].map((ms) => new Date(ms).toISOString())
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${service.url}/api/v1/jobs/export?from=${from}&to=${to}`, { headers })
  const [head = [], ...rows] = readCsv((await response.text()).replace(/^\ufeff/, ''))
  const cell = (name: string) => rows.find((row) => row[0] === id)?.[head.indexOf(name)] ?? ''
  const ms = cell('gpu_execution_time_ms')
  return {
    errorCode: cell('error_code'),
    providerJobId: cell('provider_job_id') || null,
    gpuExecutionTimeMs: ms === '' ? null : Number(ms),
  }
}

describe('a generation that failed keeps its prediction and its GPU time', () => {
  const failed = { id: ID, status: 'failed', error: 'CUDA out of memory', metrics: { predict_time: 1.5 } }
  test.each<[string, Script, string]>([
    ['where the prediction failed', { body: failed }, 'RENDER_FAILED'],
    ['where the server cancelled it', CANCELLED, 'PROVIDER_UNAVAILABLE'],
    [
      'where there are too many outputs',
      prediction(
        Array.from({ length: 65 }, () => 'data:,x'),
        1.5,
      ),
      'RENDER_FAILED',
    ],
    ['where an output lies out of reach', prediction('https://10.0.0.1/a.png', 1.5), 'RENDER_FAILED'],
    ['where an output is no file', prediction('data:image/png;base64,!!!', 1.5), 'RENDER_FAILED'],
  ])('%s', async (_title, script, code) => {
    await shows(await begin(script), code, GIVEN)
  })

  test('where an output cannot be fetched', async () => {
    await shows(await begin(prediction(`${service.provider.url}/files/missing`, 1.5)), 'PROVIDER_UNAVAILABLE', GIVEN)
  })

  test('where it ran out of time', async () => {
    service.provider.script(`/predictions/${ID}`, UNDER_WAY)
    service.provider.script(`/predictions/${ID}/cancel`, CANCELLED)
    const endTime = holdTime()
    const id = await begin(UNDER_WAY, 'quick')
    await asked(`/predictions/${ID}`)
    endTime()
    await shows(id, 'JOB_TIMEOUT', GIVEN)
  })

  test('where the answer to its cancellation is written down before its failure is', async () => {
    const accountId = await service.createAccount()
    const jobId = await insertJob(service.runtime.db, accountId, { type: 'generate', status: 'processing' })
    const claim = { jobId, accountId, attempt: (await service.job(jobId)).attempt }
    await recordProvenance(service.runtime, claim, GIVEN)
    const failure = new JobFailure('JOB_TIMEOUT', 'too long')
    await endJob(service.runtime, { ...claim, failure, provenance: { providerJobId: ID } })
    const written = { provider_job_id: ID, gpu_execution_time_ms: GIVEN.gpuExecutionTimeMs }
    expect(await service.job(jobId)).toMatchObject({ error_code: 'JOB_TIMEOUT', ...written })
  })

  test('where it was cancelled', async () => {
    service.provider.script(`/predictions/${ID}`, UNDER_WAY)
    service.provider.script(`/predictions/${ID}/cancel`, CANCELLED)
    const id = await begin(UNDER_WAY)
    await asked(`/predictions/${ID}`)
    await service.graphql(key, mutation('cancelJob(jobId: $id)', '... on GenerationJob { id }', '($id: ID!)'), { id })
    await shows(id, 'JOB_CANCELLED', GIVEN)
  })

  test('as far as the server gave them: of one that never answered there is neither', async () => {
    const endTime = holdTime()
    const id = await begin({ hang: true }, 'quick')
    await asked('/predictions')
    endTime()
    await shows(id, 'JOB_TIMEOUT', { providerJobId: null, gpuExecutionTimeMs: null })
  })
})
