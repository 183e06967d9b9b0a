import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyEndpoints } from '../../src/catalog/apply-endpoints.ts'
import { audit } from '../setup/audit/audit.ts'
import { sonantOn } from '../setup/processes/process.ts'
import { codeOf, REFUSED } from '../setup/service/graphql.ts'
import { type Producers, startProducers } from '../setup/service/producers.ts'
import { until } from '../setup/wait.ts'

const DEADLINE_MS = 60_000
/** A running job stops within 300 ms; the rest is the noise of a shared machine. */
const CANCEL_DEADLINE_MS = 10_000
const CREDITS = 1000n
const INPUTS = {
  type: 'object',
  additionalProperties: false,
  properties: { prompt: { type: 'string', maxLength: 100 } },
}
const CANCEL = `mutation ($id: ID!) { cancelJob(jobId: $id) { ... on GenerationJob { id status errorCode } ${REFUSED} } }`

interface Answer {
  cancelJob: { status?: string; errorCode?: string; code?: string }
}

describe('cancelJob of a generation', () => {
  let service: Producers
  beforeAll(async () => {
    service = await startProducers(() => ({}), { worker: true })
    const engine = { kind: 'cog', base_url: service.provider.url, max_in_flight: 1 }
    const workflow = { name: 'W', inputs: INPUTS, engine, credits_per_job: 10 }
    const other = { ...workflow, slug: 'elsewhere', engine: { ...engine, base_url: `${service.provider.url}/full` } }
    const source = JSON.stringify({ workflows: [{ ...workflow, slug: 'portrait' }, other] })
    const readAudio = () => Promise.reject(new Error('no audio here'))
    await applyEndpoints(service.runtime.as({ kind: 'system' }), { source, readAudio })
  })
  afterAll(() => service.close())
  beforeEach(() => service.provider.reset())

  const submit = async (key: string, slug = 'portrait') =>
    (await service.send<{ job_id: string }>(`/generate/${slug}`, key, { inputs: {} })).body.job_id
  const ask = (key: string, id: string) => service.graphql<Answer>(key, CANCEL, { id })
  const cancel = async (key: string, id: string) => (await ask(key, id)).data.cancelJob
  const entries = async (id: string) =>
    (await service.query<{ kind: string }>('select kind from credit_entry where job_id = $1 order by id', [id])).map(
      ({ kind }) => kind,
    )

  test('a running one fails as JOB_CANCELLED, its prediction is cancelled within moments and its charge given back', async () => {
    service.provider.script('/predictions', { hang: true })
    const key = await service.newKey(['generate:workflow'], CREDITS)
    const id = await submit(key)
    const sent = await until(() => service.provider.of('/predictions')[0], DEADLINE_MS, 'the prediction')
    const asked = performance.now()
    expect(await cancel(key, id)).toMatchObject({ status: 'FAILED', errorCode: 'JOB_CANCELLED' })
    const stopped = () => service.provider.of(`/predictions/${id}-1/cancel`).length === 1
    await until(stopped, DEADLINE_MS, 'the prediction to be cancelled')
    expect(performance.now() - asked).toBeLessThan(CANCEL_DEADLINE_MS)
    await until(() => sent.aborted(), DEADLINE_MS, 'the connection to close')
    expect(await entries(id)).toEqual(['charge', 'refund'])
    expect(await cancel(key, id)).toMatchObject({ status: 'FAILED', errorCode: 'JOB_CANCELLED' })
    expect(await audit(service.runtime, [id])).toEqual([])
  })

  test('one that waits for its turn at the server never gets there', async () => {
    service.provider.script('/full/predictions', { hang: true })
    const key = await service.newKey(['generate:workflow'], CREDITS)
    const running = await submit(key, 'elsewhere')
    await until(() => service.provider.of('/full/predictions').length === 1, DEADLINE_MS, 'the server to be full')
    const waiting = await submit(key, 'elsewhere')
    expect(await cancel(key, waiting)).toMatchObject({ errorCode: 'JOB_CANCELLED' })
    expect(await cancel(key, running)).toMatchObject({ errorCode: 'JOB_CANCELLED' })
    const settled = async () =>
      (await service
        .query(`select from pgboss.job where state <> 'completed' and data->>'jobId' = any($1)`, [[running, waiting]])
        .then((rows) => rows.length)) === 0
    await until(settled, DEADLINE_MS, 'both to leave the queue')
    expect(service.provider.of('/full/predictions')).toHaveLength(1)
    expect(await audit(service.runtime, [running, waiting])).toEqual([])
  })

  test('takes the scope that submits it, and the command line cancels it too', async () => {
    service.provider.script('/predictions', { hang: true })
    const account = await service.createAccount(CREDITS)
    const keyOf = async (scopes: readonly string[]) => (await service.createKey(account, scopes)).apiKey
    const id = await submit(await keyOf(['generate:workflow']))
    expect(codeOf(await ask(await keyOf(['generate:voice']), id))).toBe('FORBIDDEN')
    expect(codeOf(await ask(await keyOf(['job:read']), id))).toBe('FORBIDDEN')
    expect(codeOf(await ask(await service.newKey(), id))).toBe('NOT_FOUND')
    const { databaseUrl } = service.runtime.settings
    const cancelled = await sonantOn(
      { DATA_DIR: service.dataDir, DATABASE_URL: databaseUrl ?? '' },
      'jobs',
      'cancel',
      id,
    )
    expect(cancelled).toMatchObject({ job_id: id, status: 'failed', error_code: 'JOB_CANCELLED' })
  })
})
