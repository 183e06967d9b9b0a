import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyEndpoints } from '../../../src/catalog/apply-endpoints.ts'
import { deleteEndpoint } from '../../../src/catalog/change-catalog.ts'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { call } from '../../setup/http.ts'
import { endpoint, finishedJob, type VoiceJob } from '../../setup/jobs/fixtures.ts'
import { humSeconds, type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { readWav } from '../../setup/speech/wav.ts'

const EXAMPLE = new URL('../../../examples/qwen3-tts.yaml', import.meta.url)
const TEXT = 'The train leaves at half past nine, and nobody waits for those who are late.'
const LONG = `${TEXT} `.repeat(30).trim()
const CREDITS = 100_000

let service: TestRuntime
let server: SpeechServer
let slugs = 0

beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { SPEECH_KEY: 'sk-from-the-environment' } })
})
afterAll(() => service.close())
beforeEach(async () => {
  server = await startSpeechServer()
})
afterEach(() => server.close())

const operator = () => service.runtime.as({ kind: 'system' })
const applySource = (source: string) => applyEndpoints(operator(), { source, readAudio: (path) => readFile(path) })

/** An endpoint of its own on the stand-in server. */
async function makeEndpoint(engine: object = {}, changes: object = {}): Promise<string> {
  const slug = `gpu${++slugs}`
  const block = { kind: 'openai-speech', profile: 'vllm-omni', base_url: server.url, model: 'tts', retry_seconds: 1 }
  const made = endpoint(slug, { engine: { ...block, ...engine }, time_limit_seconds: 30, ...changes })
  made.inputs.properties.text.maxLength = 10_000
  await applySource(JSON.stringify({ endpoints: [made] }))
  return slug
}

async function submit(slug: string, text = TEXT, credits = CREDITS) {
  const caller = await service.createCaller(BigInt(credits))
  const reply = await call(`${service.url}/api/v1/voice/${slug}`, {
    method: 'POST',
    key: caller.key,
    body: { inputs: { text, voice: 'calm' } },
  })
  expect(reply.status).toBe(202)
  return { ...caller, jobId: reply.json<{ job_id: string }>().job_id }
}

async function balance(account: string): Promise<number> {
  return Number((await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })).credits)
}

/** Submits, waits for the failure, and checks that nothing was paid and that no answer holds the cause. */
async function failureOf(slug: string, text = TEXT, credits = CREDITS): Promise<VoiceJob> {
  const { account, key, jobId } = await submit(slug, text, credits)
  const job = await finishedJob(service.url, key, jobId)
  expect(job.status).toBe('failed')
  expect(await balance(account)).toBe(credits)
  expect(JSON.stringify(job)).not.toMatch(/127\.0\.0\.1|ECONN|stand-in reason/)
  return job
}

const causeOf = async (jobId: string) =>
  (await service.runtime.db.prisma.job.findUniqueOrThrow({ where: { id: jobId }, select: { cause: true } })).cause

const graphql = async <T>(key: string, query: string): Promise<T> => {
  const reply = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query } })
  return reply.json<{ data: T }>().data
}

describe('a job on a speech server', () => {
  test('is one WAV of the text in the voice that the endpoint names', async () => {
    const slug = await makeEndpoint({ api_key_env: 'SPEECH_KEY' })
    const { account, key, jobId } = await submit(slug)
    const job = await finishedJob(service.url, key, jobId)
    expect(job.status).toBe('completed')
    const audio = readWav((await call(job.outputs!.audio)).bytes)
    expect(audio).toMatchObject({ format: 1, channels: 1, rate: 24_000, bits: 16, whole: true })
    expect(audio.durationMs).toBeCloseTo(humSeconds(TEXT) * 1000, 0)
    expect(server.calls).toHaveLength(1)
    expect(server.calls[0]?.headers.authorization).toBe('Bearer sk-from-the-environment')
    expect(server.calls[0]?.body).toMatchObject({ input: TEXT, voice: 'en-us+f3', seed: expect.any(Number) })
    expect(await balance(account)).toBe(CREDITS - TEXT.length)
  })

  test('of a long text shows its chunks while they are rendered', async () => {
    const slug = await makeEndpoint({ max_in_flight: 2, retry_seconds: 25 })
    server.answer((_, index) => (index < 3 ? {} : { hang: true }))
    const { key, jobId } = await submit(slug, LONG)
    const query = `{ voiceJob(jobId: "${jobId}") { status chunksDone chunksTotal } }`
    type Shown = { voiceJob: { status: string; chunksDone: number | null; chunksTotal: number | null } }
    const shown = async () => (await graphql<Shown>(key, query)).voiceJob
    await expect.poll(shown).toMatchObject({ status: 'PROCESSING', chunksDone: 3 })
    const { chunksTotal } = await shown()
    expect(chunksTotal).toBeGreaterThan(5)
    // The hanging requests end with the server; the retries of the job find the next one.
    await server.close()
    server = await startSpeechServer(server.port)
    await finishedJob(service.url, key, jobId)
    expect((await graphql<Shown>(key, query)).voiceJob).toEqual({
      status: 'COMPLETED',
      chunksDone: chunksTotal,
      chunksTotal,
    })
    expect(new Set(server.calls.map(({ body }) => body.seed)).size).toBe(1)
  })
})

describe('a failed job tells', () => {
  test('PROVIDER_BUSY when the server stays busy', async () => {
    server.answer(() => ({ status: 429, json: { detail: 'stand-in reason' } }))
    const job = await failureOf(await makeEndpoint({ retry_seconds: 4 }))
    expect(job.error_code).toBe('PROVIDER_BUSY')
    expect(server.calls.length).toBeGreaterThan(1)
    expect(await causeOf(job.job_id)).toContain('stand-in reason')
  })

  test('PROVIDER_UNAVAILABLE when the server is down, and it is not hammered', async () => {
    server.answer(() => ({ reset: true }))
    const slug = await makeEndpoint()
    const jobs = await Promise.all(Array.from({ length: 8 }, () => failureOf(slug)))
    expect(new Set(jobs.map((job) => job.error_code))).toEqual(new Set(['PROVIDER_UNAVAILABLE']))
    // Without the breaker each job would have asked at least three times.
    expect(server.calls.length).toBeLessThan(20)
  })

  test('JOB_TIMEOUT when the server does not answer in time, and the request is closed', async () => {
    server.answer(() => ({ hang: true }))
    const job = await failureOf(await makeEndpoint({}, { time_limit_seconds: 4 }))
    expect(job.error_code).toBe('JOB_TIMEOUT')
    await expect.poll(() => server.abandoned()).toBe(1)
  })

  test('RENDER_FAILED when the server refuses the text', async () => {
    server.answer(() => ({ status: 400, json: { error: { message: `stand-in reason: ${TEXT}` } } }))
    const job = await failureOf(await makeEndpoint())
    expect(job.error_code).toBe('RENDER_FAILED')
    expect(server.calls).toHaveLength(1)
    const cause = await causeOf(job.job_id)
    expect(cause).toContain('stand-in reason')
    expect(cause).not.toMatch(/train|nobody/)
  })

  test('RENDER_FAILED when no seed gives audio of the text', async () => {
    server.answer(() => ({ seconds: 60 }))
    expect((await failureOf(await makeEndpoint())).error_code).toBe('RENDER_FAILED')
    expect(new Set(server.calls.map(({ body }) => body.seed)).size).toBe(3)
  })

  test('CHARGE_FAILED when the balance does not cover it, and the server is never asked', async () => {
    expect((await failureOf(await makeEndpoint(), TEXT, 5)).error_code).toBe('CHARGE_FAILED')
    expect(server.calls).toHaveLength(0)
  })

  test('INTERNAL_ERROR when the API key is not set where the worker runs', async () => {
    const job = await failureOf(await makeEndpoint({ api_key_env: 'NOT_SET' }))
    expect(job.error_code).toBe('INTERNAL_ERROR')
    expect(await causeOf(job.job_id)).toContain('NOT_SET')
  })

  test('INTERNAL_ERROR when the audio cannot be stored', async () => {
    const slug = await makeEndpoint()
    const artifacts = join(service.dataDir, 'artifacts')
    await mkdir(artifacts, { recursive: true })
    await rename(artifacts, `${artifacts}-away`)
    await writeFile(artifacts, 'a file where the folder was')
    try {
      expect((await failureOf(slug)).error_code).toBe('INTERNAL_ERROR')
    } finally {
      await rm(artifacts)
      await rename(`${artifacts}-away`, artifacts)
    }
  })

  test('QUEUE_FAILED when its place in the queue is lost and its endpoint gone', async () => {
    const idle = await startTestRuntime()
    try {
      const caller = await idle.createCaller(1000n)
      const reply = await call(`${idle.url}/api/v1/voice/tts`, {
        method: 'POST',
        key: caller.key,
        body: { inputs: { text: TEXT, voice: 'aria' } },
      })
      const { job_id: jobId } = reply.json<{ job_id: string }>()
      const { pool } = idle.runtime.db
      await pool.query('delete from pgboss.job')
      await pool.query(`update job set created_at = now() - interval '1 minute' where id = $1`, [jobId])
      await deleteEndpoint(idle.runtime.as({ kind: 'system' }), { slug: 'tts' })
      await requeueLostJobs(idle.runtime)
      const job = (await call(`${idle.url}/api/v1/voice/jobs/${jobId}`, { key: caller.key })).json<VoiceJob>()
      expect([job.status, job.error_code]).toEqual(['failed', 'QUEUE_FAILED'])
    } finally {
      await idle.close()
    }
  })
})

describe('endpoint files', () => {
  test('the example is applied: nine speakers of Qwen3-TTS, and Kokoro', async () => {
    const source = (await readFile(EXAMPLE, 'utf8')).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, server.url)
    expect(await applySource(source)).toMatchObject({ applied: ['qwen3-tts', 'kokoro'] })
    const { key } = await service.createCaller()
    const { voices } = (await call(`${service.url}/api/v1/voice/qwen3-tts/voices`, { key })).json<{
      voices: { name: string }[]
    }>()
    expect(voices.map(({ name }) => name)).toEqual([
      'Vivian',
      'Serena',
      'Uncle Fu',
      'Dylan',
      'Eric',
      'Ryan',
      'Aiden',
      'Ono Anna',
      'Sohee',
    ])
    for (const [slug, inputs, sent] of [
      [
        'qwen3-tts',
        { voice: 'uncle-fu', seed: 7 },
        { voice: 'Uncle_Fu', seed: 7, language: 'Auto', task_type: 'CustomVoice' },
      ],
      ['kokoro', { voice: 'heart', speed: 1.5 }, { voice: 'af_heart', speed: 1.5, model: 'kokoro' }],
    ] as const) {
      const body = { inputs: { text: TEXT, ...inputs } }
      const reply = await call(`${service.url}/api/v1/voice/${slug}`, { method: 'POST', key, body })
      const { job_id: jobId } = reply.json<{ job_id: string }>()
      expect((await finishedJob(service.url, key, jobId)).status).toBe('completed')
      expect(server.calls.at(-1)?.body).toMatchObject(sent)
    }
  })

  test.each([
    ['an unknown field', { base_ulr: 'x' }, /engine\.base_ulr is an unknown field/],
    ['an unknown profile', { profile: 'vllm' }, /engine\.profile/],
    ['an address that is none', { base_url: 'localhost:8000' }, /engine\.base_url must be an http/],
    ['a password in the address', { base_url: 'http://u:p@h' }, /engine\.base_url must not hold a password/],
    ['a password without a user', { base_url: 'http://:p@h' }, /engine\.base_url must not hold a password/],
    ['no slots', { max_in_flight: 0 }, /engine\.max_in_flight/],
    ['a pool that cannot be a queue', { pool: 'GPU 1' }, /engine\.pool must be/],
    ['a key instead of its name', { api_key_env: 'sk-123' }, /engine\.api_key_env must be the name/],
  ])('an engine with %s is refused, with the line', async (_, engine, message) => {
    const details = expect.arrayContaining([{ path: 'line 1', message: expect.stringMatching(message) }])
    await expect(makeEndpoint(engine)).rejects.toMatchObject({ code: 'INVALID_REQUEST', details })
  })

  test('an embedded engine takes a pool and nothing else', async () => {
    const kind = 'espeak'
    const one = (engine: object) => applySource(JSON.stringify({ endpoints: [endpoint('booth', { engine })] }))
    await expect(one({ kind, base_url: server.url })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await one({ kind, pool: 'booth' })
    const { key, jobId } = await submit('booth')
    expect((await finishedJob(service.url, key, jobId)).status).toBe('completed')
    const { rows } = await service.runtime.db.pool.query(`select name from pgboss.queue where name = 'voice.booth'`)
    expect(rows).toHaveLength(1)
  })
})
