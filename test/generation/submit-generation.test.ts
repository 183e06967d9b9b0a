import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applyEndpoints } from '../../src/catalog/apply-endpoints.ts'
import { deleteEndpoint } from '../../src/catalog/change-catalog.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { prediction, type Script } from '../setup/servers/provider-server.ts'
import { errorOf, mutation, REFUSED } from '../setup/service/graphql.ts'
import { type Producers, type Row, startProducers } from '../setup/service/producers.ts'
import { until } from '../setup/wait.ts'

const DEADLINE_MS = 60_000
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const PNG_URL = `data:image/png;base64,${PNG.toString('base64')}`
const PRICE = 10

interface Receipt {
  job_id: string
  status: string
  error_code: string
  details: { path: string }[]
}

let service: Producers
let key: string
beforeAll(async () => {
  service = await startProducers(() => ({}), { worker: true })
  const patience = { busy_patience_seconds: 30, retry_seconds: 30 }
  await apply([workflow('portrait'), workflow('patient', {}, patience), workflow('quick', { time_limit_seconds: 4 })])
  key = await service.newKey(['generate:workflow', 'job:read'])
})
afterAll(() => service.close())
beforeEach(() => service.provider.reset())

const workflow = (slug: string, changes: object = {}, engine: object = {}) => ({
  slug,
  name: slug,
  inputs: {
    type: 'object',
    additionalProperties: false,
    required: ['prompt'],
    properties: { prompt: { type: 'string', minLength: 1, maxLength: 100 }, steps: { type: 'integer', default: 20 } },
  },
  engine: {
    kind: 'cog',
    base_url: service.provider.url,
    max_in_flight: 4,
    busy_patience_seconds: 1,
    retry_seconds: 1,
    ...engine,
  },
  credits_per_job: PRICE,
  ...changes,
})
const apply = (workflows: object[]) =>
  applyEndpoints(service.runtime.as({ kind: 'system' }), {
    source: JSON.stringify({ workflows }),
    readAudio: () => Promise.reject(new Error('no audio here')),
  })

const submit = (body: unknown, slug = 'portrait', bearer: string | null = key, headers = {}) =>
  service.send<Receipt>(`/generate/${slug}`, bearer, body, headers)
const GOOD = { inputs: { prompt: 'A lighthouse' } }

const finished = (id: string): Promise<Row> =>
  until(
    async () => {
      const job = await service.job(id)
      return job.status === 'completed' || job.status === 'failed' ? job : undefined
    },
    DEADLINE_MS,
    `job ${id} to finish`,
  ) as Promise<Row>
/** Runs a script's prediction to the job's end. */
const outcomeOf = async (script: Parameters<Producers['provider']['script']>[1], slug = 'portrait') => {
  service.provider.script('/predictions', script)
  return finished((await submit(GOOD, slug)).body.job_id)
}
const artifactsOf = async (id: string) => {
  const rows = await service.query<{ output: string; storage_key: string; content_type: string; sha256: Buffer }>(
    'select output, storage_key, content_type, sha256 from artifact where job_id = $1 order by output',
    [id],
  )
  return Promise.all(
    rows.map(async ({ output, storage_key, content_type: contentType, sha256 }) => {
      const { storage, now } = service.runtime
      const response = await fetch(await storage.signUrl(storage_key, { contentType, now: now() }))
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(createHash('sha256').update(bytes).digest()).toEqual(sha256)
      return { output, type: response.headers.get('content-type')?.split(';')[0], text: bytes.toString('latin1') }
    }),
  )
}
/** The job with everything that its owner sees of it. */
const read = (bearer: string, id: string) =>
  service.graphql(
    bearer,
    'query ($id: ID!) { job(jobId: $id) { id status error errorCode attemptHistory { outcome error } ... on GenerationJob { providerJobId } result { outputs } } }',
    { id },
  )
const balanceOf = async (bearerJob: string) => {
  const [row] = await service.query<{ credits: string; sum: string; kinds: string[] | null }>(
    `select a.credits, (select sum(amount) from credit_entry e where e.account_id = a.id) as sum,
       (select array_agg(kind::text order by id) from credit_entry e where e.job_id = j.id) as kinds
     from job j join account a on a.id = j.account_id where j.id = $1`,
    [bearerJob],
  )
  expect(row?.credits).toBe(row?.sum)
  return { credits: Number(row?.credits), kinds: row?.kinds }
}

describe('submitGeneration', () => {
  it('answers 202, and the job completes with its outputs, its provenance and one charge', async () => {
    const rich = await service.newKey(undefined, 100n)
    service.provider.script('/predictions', prediction(PNG_URL, 2.3456))
    const body = { ...GOOD, webhook_url: 'https://example.com/hook' }
    const answer = await submit(body, 'portrait', rich)
    const id = answer.body.job_id
    expect([answer.status, answer.body]).toEqual([
      202,
      { job_id: expect.stringMatching(/^job_[0-7][0-9a-hjkmnp-tv-z]{25}$/), status: 'queued' },
    ])
    expect(answer.headers.get('location')).toBe(`/api/v1/jobs/${id}`)
    expect(await finished(id)).toMatchObject({
      type: 'generate',
      endpoint_key: 'generate.portrait',
      status: 'completed',
      is_prohibited: null,
      provider_job_id: 'prediction-1',
      gpu_execution_time_ms: 2346,
      webhook_url: 'https://example.com/hook',
    })
    expect(await artifactsOf(id)).toEqual([{ output: 'output', type: 'image/png', text: PNG.toString('latin1') }])
    expect(await balanceOf(id)).toEqual({ credits: 100 - PRICE, kinds: ['charge'] })
    const [sent] = service.provider.of('/predictions')
    expect(sent).toMatchObject({ method: 'POST', body: { input: { prompt: 'A lighthouse', steps: 20 } } })
  })

  it('names the files of a list, fetches those on the server itself, and keeps keys of an object', async () => {
    const { url } = service.provider
    service.provider.script('/files/a.mp4', { body: Buffer.from('film'), headers: { 'content-type': 'video/mp4' } })
    const list = await outcomeOf(prediction([`${url}/files/a.mp4`, PNG_URL, 'data:text/plain,plain%20text']))
    expect(await artifactsOf(list.id)).toEqual([
      { output: 'output', type: 'video/mp4', text: 'film' },
      { output: 'output_1', type: 'image/png', text: PNG.toString('latin1') },
      { output: 'output_2', type: 'text/plain', text: 'plain text' },
    ])
    const object = await outcomeOf(prediction({ image: PNG_URL, Mask: PNG_URL, nothing: null }))
    expect((await artifactsOf(object.id)).map(({ output }) => output)).toEqual(['Mask', 'image'])
    const text = await outcomeOf(prediction(['Once ', 'upon']))
    expect(await artifactsOf(text.id)).toEqual([{ output: 'output', type: 'text/plain', text: 'Once upon' }])
    const json = await outcomeOf(prediction({ score: 0.5 }))
    expect(await artifactsOf(json.id)).toEqual([{ output: 'output', type: 'application/json', text: '{"score":0.5}' }])
  })

  it('makes each file of an object an artifact and each other value an output, and shows the address of its server at no door', async () => {
    const { url } = service.provider
    service.provider.script('/files/a.png', { body: PNG, headers: { 'content-type': 'image/png' } })
    const made = await outcomeOf(
      prediction({ File: `${url}/files/a.png`, text: 'hello', more: { note: `made at ${url}/x`, seed: 7 } }),
    )
    expect(await artifactsOf(made.id)).toEqual([
      { output: 'File', type: 'image/png', text: PNG.toString('latin1') },
      { output: 'more', type: 'application/json', text: '{"note":"made at [address removed]","seed":7}' },
      { output: 'text', type: 'text/plain', text: 'hello' },
    ])
    const { host } = new URL(url)
    const shown = async (id: unknown) => JSON.stringify(await read(key, String(id)))
    expect(await shown(made.id)).toContain('COMPLETED')
    expect(await shown(made.id)).not.toContain(host)
    const failed = await outcomeOf(prediction(`s3://${host}/a.png`))
    expect([failed.status, failed.error_code]).toEqual(['failed', 'RENDER_FAILED'])
    expect(await shown(failed.id)).not.toContain(host)
  })

  it('serves a page or a drawing with scripts as mere bytes', async () => {
    const job = await outcomeOf(prediction(['data:text/html,<script>', 'data:image/svg+xml,<svg/>']))
    expect((await artifactsOf(job.id)).map(({ type }) => type)).toEqual([
      'application/octet-stream',
      'application/octet-stream',
    ])
  })

  it('waits for a server that is still at work', async () => {
    let asked = 0
    service.provider.script('/predictions/p9', () =>
      ++asked < 3
        ? { body: { id: 'p9', status: 'processing' } }
        : { body: { id: 'p9', status: 'succeeded', output: 'done' } },
    )
    const job = await outcomeOf({ status: 202, body: { id: 'p9', status: 'starting' } })
    expect(job).toMatchObject({ status: 'completed', provider_job_id: 'p9', gpu_execution_time_ms: null })
  })

  it.each([429, 503])('goes on waiting where a server at work says %i for a moment', async (status) => {
    let asked = 0
    service.provider.script('/predictions/p8', () =>
      ++asked === 2
        ? { status }
        : { body: { id: 'p8', status: asked < 2 ? 'processing' : 'succeeded', output: 'done' } },
    )
    const job = await outcomeOf({ status: 202, body: { id: 'p8', status: 'starting' } }, 'patient')
    expect([job.status, job.cause, asked]).toEqual(['completed', null, 3])
  })

  it.each<[string, Script, string]>([
    [
      'says that it failed',
      { body: { status: 'failed', error: 'CUDA out of memory at A Lighthouse' } },
      'RENDER_FAILED',
    ],
    ['fails it with NUL', { body: { status: 'failed', error: 'out\0of memory' } }, 'RENDER_FAILED'],
    ['rejects the input with NUL', { status: 422, body: { detail: 'too\0many' } }, 'RENDER_FAILED'],
    ['loses it', { status: 202, body: { id: 'p404', status: 'processing' } }, 'PROVIDER_UNAVAILABLE'],
    ['brings a broken data URL', prediction('data:image/png;base64,!!!'), 'RENDER_FAILED'],
    ['brings an empty file', prediction('data:image/png;base64,'), 'RENDER_FAILED'],
    ['cancels it', { body: { status: 'canceled' } }, 'PROVIDER_UNAVAILABLE'],
    ['rejects the input', { status: 422 }, 'RENDER_FAILED'],
    ['is full', { status: 409 }, 'PROVIDER_BUSY'],
    ['says 429', { status: 429 }, 'PROVIDER_BUSY'],
    ['says 500', { status: 500 }, 'PROVIDER_UNAVAILABLE'],
    ['answers no JSON', { body: '<html>' }, 'PROVIDER_UNAVAILABLE'],
    ['answers a list', { body: '[]' }, 'PROVIDER_UNAVAILABLE'],
    ['breaks off', { ...prediction(PNG_URL), cut: true }, 'PROVIDER_UNAVAILABLE'],
    ['brings nothing', prediction(null), 'RENDER_FAILED'],
    ['brings an empty list', prediction([]), 'RENDER_FAILED'],
    ['brings 65 files', prediction(Array.from({ length: 65 }, () => PNG_URL)), 'RENDER_FAILED'],
    ['points to a private address', prediction('https://10.0.0.1/a.png'), 'RENDER_FAILED'],
    ['points to another plain server', prediction('http://example.com/a.png'), 'RENDER_FAILED'],
    ['points to another port of its host', prediction('http://127.0.0.1:1/a.png'), 'RENDER_FAILED'],
  ])('fails the job and refunds it when the server %s', async (_title, script, code) => {
    const job = await outcomeOf(script)
    expect([job.status, job.error_code]).toEqual(['failed', code])
    // Words of the request are nowhere but in the request.
    expect(job.cause).not.toMatch(/lighthouse/i)
    expect(await artifactsOf(job.id)).toEqual([])
    expect((await balanceOf(job.id)).kinds).toEqual(['charge', 'refund'])
  })

  it('keeps what the server says of a failure for the operator', async () => {
    const failed = await outcomeOf({ body: { status: 'failed', error: 'CUDA out of memory' } })
    expect(failed.cause).toContain('CUDA out of memory')
    const refused = await outcomeOf({ status: 422, body: { detail: [{ loc: ['steps'], msg: 'too many' }] } })
    expect(refused.cause).toContain('steps too many')
  })

  it('stops a prediction that it does not wait for any more', async () => {
    service.provider.script('/predictions/lost', { body: '[]' })
    await outcomeOf({ status: 202, body: { id: 'lost', status: 'processing' } })
    await until(() => service.provider.of('/predictions/lost/cancel').length === 1, DEADLINE_MS, 'the cancellation')
  })

  it('asks again for a file of a server that is away or busy for a moment', async () => {
    const { url } = service.provider
    let asked = 0
    const film = { body: Buffer.from('film'), headers: { 'content-type': 'video/mp4' } }
    const answers = [{ status: 503 }, { status: 429, headers: { 'retry-after': '1' } }, film]
    service.provider.script('/files/b.mp4', () => answers[asked++] ?? film)
    const job = await outcomeOf(prediction([`${url}/files/b.mp4`]), 'patient')
    expect([job.status, job.cause, asked]).toEqual(['completed', null, 3])
  })

  it('fails the job when a file of several cannot be fetched, and keeps none', async () => {
    const job = await outcomeOf(prediction([PNG_URL, `${service.provider.url}/files/missing.png`]))
    expect([job.status, job.error_code]).toEqual(['failed', 'PROVIDER_UNAVAILABLE'])
    const isGone = async () => (await service.runtime.storage.stat(`${job.id}/1/output.png`)) === null
    await until(isGone, DEADLINE_MS, 'the first file to be deleted')
  })

  it('fails a job that takes too long with JOB_TIMEOUT, hangs up and cancels the prediction', async () => {
    const job = await outcomeOf({ hang: true }, 'quick')
    expect([job.status, job.error_code]).toEqual(['failed', 'JOB_TIMEOUT'])
    expect((await balanceOf(job.id)).kinds).toEqual(['charge', 'refund'])
    const [sent] = service.provider.of('/predictions')
    const { id } = (sent as { body: unknown }).body as { id: string }
    await until(() => service.provider.of(`/predictions/${id}/cancel`).length === 1, DEADLINE_MS, 'the cancellation')
    await until(() => sent?.aborted(), DEADLINE_MS, 'the connection to close')
  })

  it('waits for a full server as long as it asks for, even beyond busy_patience_seconds', async () => {
    let asked = 0
    const full = { status: 503, body: {}, headers: { 'retry-after': '2' } }
    const job = await outcomeOf(() => (asked++ === 0 ? full : prediction(PNG_URL)))
    expect([job.status, asked]).toEqual(['completed', 2])
  })

  it('never has more in flight on a server than it takes, and waiting is no part of the time limit', async () => {
    await apply([
      workflow('narrow', { time_limit_seconds: 10 }, { max_in_flight: 1, base_url: `${service.provider.url}/n` }),
    ])
    const gates: PromiseWithResolvers<void>[] = []
    service.provider.script('/n/predictions', () => {
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      return { ...prediction('x'), until: gate.promise }
    })
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await submit(GOOD, 'narrow')).body.job_id))
    for (let done = 1; done <= 4; done++) {
      await until(() => gates.length === done, DEADLINE_MS, 'the next prediction')
      const running = await service.query(`select from job where status = 'processing'`, [])
      expect(running.length).toBeGreaterThanOrEqual(1)
      expect(gates).toHaveLength(done)
      gates[done - 1]?.resolve()
    }
    const jobs = await Promise.all(ids.map(finished))
    expect(jobs.map(({ status }) => status)).toEqual(ids.map(() => 'completed'))
  })

  it('holds up neither another server nor another account while many jobs wait for one', async () => {
    await apply([workflow('slow', {}, { max_in_flight: 1, base_url: `${service.provider.url}/slow` })])
    const gates: PromiseWithResolvers<void>[] = []
    service.provider.script('/slow/predictions', () => {
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      return { ...prediction('x'), until: gate.promise }
    })
    const rich = await service.newKey()
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => (await submit(GOOD, 'slow', rich)).body.job_id),
    )
    await until(() => gates.length === 1, DEADLINE_MS, 'the first prediction')
    const elsewhere = await submit(GOOD)
    expect(await finished(elsewhere.body.job_id)).toMatchObject({ status: 'completed' })
    const { body } = await submit(GOOD, 'slow')
    const opening = setInterval(() => gates.shift()?.resolve(), 50)
    await Promise.all([body.job_id, ...ids].map(finished)).finally(() => clearInterval(opening))
    const sent = service.provider.of('/slow/predictions').map((request) => (request.body as { id: string }).id)
    const turn = sent.findIndex((id) => id.startsWith(body.job_id))
    expect(turn).toBeGreaterThan(0)
    expect(turn).toBeLessThan(5)
  })

  it('fails a job that the account cannot pay any more, without asking the server', async () => {
    const poor = await service.newKey(undefined, BigInt(PRICE - 1))
    const { body } = await submit(GOOD, 'portrait', poor)
    expect(await finished(body.job_id)).toMatchObject({ status: 'failed', error_code: 'CHARGE_FAILED' })
    expect((await balanceOf(body.job_id)).kinds).toBeNull()
    expect(service.provider.received).toEqual([])
  })

  it.each<[string, string, unknown]>([
    ['no inputs', '/inputs', {}],
    ['inputs that are a list', '/inputs', { inputs: [] }],
    ['an unknown input', '/inputs/x', { inputs: { prompt: 'a', x: 1 } }],
    ['a missing input', '/inputs/prompt', { inputs: {} }],
    ['an input that is too long', '/inputs/prompt', { inputs: { prompt: 'x'.repeat(101) } }],
    ['an unknown key', '/x', { ...GOOD, x: 1 }],
    ['a private webhook', '/webhook_url', { ...GOOD, webhook_url: 'https://10.0.0.1/' }],
  ])('refuses %s, says where, and records nothing', async (_title, path, given) => {
    const before = await service.countJobs()
    const { status, body } = await submit(given)
    expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details.map((detail) => detail.path)).toContain(path)
    expect(await service.countJobs()).toBe(before)
  })

  it('checks in the order 401, 403, 404, body, 402', async () => {
    const scopeless = await service.newKey(['generate:voice', 'job:read'])
    const poor = await service.newKey(undefined, 0n)
    expect((await submit('{', 'missing', null)).status).toBe(401)
    expect((await submit('{', 'missing', scopeless)).status).toBe(403)
    expect((await submit('{', 'missing', poor)).status).toBe(404)
    expect((await submit('{', 'tts', poor)).status).toBe(404)
    expect((await submit({ inputs: {} }, 'portrait', poor)).status).toBe(400)
    expect((await submit(GOOD, 'portrait', poor)).body.error_code).toBe('PAYMENT_REQUIRED')
  })

  it('makes one job of the same Idempotency-Key, and 422 of another request', async () => {
    const mine = await service.newKey()
    const headers = { 'idempotency-key': 'a' }
    const all = await Promise.all(Array.from({ length: 5 }, () => submit(GOOD, 'portrait', mine, headers)))
    expect(new Set(all.map(({ body }) => body.job_id)).size).toBe(1)
    expect(all.filter((answer) => answer.headers.has('idempotency-replayed'))).toHaveLength(4)
    expect((await submit(GOOD, 'quick', mine, headers)).body.error_code).toBe('IDEMPOTENCY_MISMATCH')
    expect((await finished(all[0]?.body.job_id ?? '')).status).toBe('completed')
  })

  it('is the same through GraphQL', async () => {
    const text = `mutation($i: JSON!) { submitGeneration(slug: "portrait", inputs: $i) {
      ... on GenerationSubmission { jobId status replayed } ${REFUSED} } }`
    const good = await service.graphql<{ submitGeneration: { jobId: string } }>(key, text, { i: GOOD.inputs })
    expect(good.data.submitGeneration).toMatchObject({ status: 'QUEUED', replayed: false })
    expect((await finished(good.data.submitGeneration.jobId)).status).toBe('completed')
    const bad = await service.graphql(key, text, { i: { prompt: 1 } })
    expect(errorOf(bad)?.code).toBe('INVALID_REQUEST')
  })
})

describe('retryJob of a generation', () => {
  const retry = (jobId: string, bearer: string) =>
    service.graphql<{ retryJob: { jobId: string; job: object } }>(
      bearer,
      mutation(`retryJob(jobId: "${jobId}")`, '... on RetryJobSuccess { jobId job { __typename id status } }'),
    )

  it('runs what the failed job was sent once more, as a new job with a charge of its own', async () => {
    const rich = await service.newKey(undefined, 100n)
    service.provider.script('/predictions', { body: { status: 'failed', error: 'CUDA out of memory' } })
    const old = (await submit(GOOD, 'portrait', rich)).body.job_id
    expect(await finished(old)).toMatchObject({ status: 'failed' })
    service.provider.reset()
    const { data } = await retry(old, rich)
    const id = data.retryJob.jobId
    expect(id).not.toBe(old)
    expect(data.retryJob.job).toMatchObject({ __typename: 'GenerationJob', id })
    expect(await finished(id)).toMatchObject({
      status: 'completed',
      endpoint_key: 'generate.portrait',
      inputs: GOOD.inputs,
    })
    expect(await service.job(old)).toMatchObject({ status: 'failed' })
    expect(await balanceOf(id)).toEqual({ credits: 100 - PRICE, kinds: ['charge'] })
  })

  it('needs generate:workflow, a workflow that is still there, and a failed job', async () => {
    const account = await service.createAccount()
    const keyOf = async (scope: string) => (await service.createKey(account, [scope])).apiKey
    const [able, unable] = await Promise.all(['generate:workflow', 'generate:voice'].map(keyOf))
    const insert = (slug: string, status: 'failed' | 'completed') =>
      insertJob(service.runtime.db, account, { type: 'generate', endpointKey: `generate.${slug}`, status })
    const failed = await insert('portrait', 'failed')
    expect((await retry(failed, unable!)).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    expect(errorOf(await retry(await insert('gone', 'failed'), able!))?.code).toBe('NOT_FOUND')
    expect(errorOf(await retry(await insert('portrait', 'completed'), able!))?.code).toBe('INVALID_REQUEST')
  })
})

describe('a workflow in an endpoint file', () => {
  it.each<[string, (good: object) => object, RegExp]>([
    [
      'an unknown engine',
      (good) => ({ ...good, engine: { kind: 'espeak', base_url: 'http://cog' } }),
      /workflows\.0\.engine\.kind/,
    ],
    ['no base_url', (good) => ({ ...good, engine: { kind: 'cog' } }), /workflows\.0\.engine\.base_url/],
    ['a base_url of a file', (good) => ({ ...good, engine: { kind: 'cog', base_url: 'file:///x' } }), /base_url/],
    ['inputs that take anything', (good) => ({ ...good, inputs: { type: 'object' } }), /additionalProperties/],
    ['an unknown field', (good) => ({ ...good, voices: [] }), /voices/],
    ['a negative price', (good) => ({ ...good, credits_per_job: -1 }), /credits_per_job/],
  ])('is refused whole with %s', async (_title, change, reason) => {
    const refusal = apply([workflow('innocent'), workflow('guilty')].map((one, at) => (at === 0 ? change(one) : one)))
    await expect(refusal).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: expect.stringMatching(/^line \d+$/), message: expect.stringMatching(reason) }],
    })
    expect((await submit(GOOD, 'guilty')).status).toBe(404)
  })

  it('is changed and deleted like an endpoint, live at once', async () => {
    await apply([workflow('brief')])
    expect((await submit(GOOD, 'brief')).status).toBe(202)
    await apply([workflow('brief', { inputs: { type: 'object', additionalProperties: false, properties: {} } })])
    expect((await submit(GOOD, 'brief')).status).toBe(400)
    await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'brief' })
    expect((await submit(GOOD, 'brief')).status).toBe(404)
  })

  it('is in no public catalog', async () => {
    const catalog = await (await fetch(`${service.url}/api/v1/public/voice`)).text()
    expect(catalog).not.toContain('portrait')
  })
})
