import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call } from '../../setup/http.ts'
import { endpoint, finishedJob, type VoiceJob } from '../../setup/jobs/fixtures.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir, type Service, startService } from '../../setup/processes/process.ts'
import { until } from '../../setup/wait.ts'

type Entry = { slug: string; path: string; schema_version: string; schema: Record<string, unknown>; voices: object[] }
type Catalog = { catalog_version: string; endpoints: Entry[] }
type Limited = { remaining: number; policy: string | undefined }

const CATALOG = '/api/v1/public/voice'
const LANGUAGES = 'auto Chinese English Japanese Korean French German Italian Spanish Portuguese Russian'.split(' ')
/** Retry-After of an unfinished job by its age in seconds. */
const pauseAt = (age: number): string => (age < 5 ? '1' : age < 20 ? '2' : age < 60 ? '5' : '10')

describe('the HTTP contract', () => {
  let service: Service
  let entry: Entry

  const get = (path: string, options: Call = {}) => call(service.url + path, options)
  const authorized = (path: string, options: Call = {}) => get(path, { key: service.key, ...options })
  const submit = (text: string) => {
    const body = { inputs: { text, voice: (entry.voices[0] as { slug: string }).slug } }
    return authorized('/api/v1/voice/tts', { method: 'POST', body })
  }

  beforeAll(async () => {
    service = await startService()
    entry = (await get(`${CATALOG}/tts`)).json<Entry>()
  })
  afterAll(cleanUp)

  test.for([CATALOG, '/api/v1/voice/tts/voices', '/api/v1/voice/nothing/voices', '/nothing', '/api/v1/openapi.json'])(
    'every answer has a request id, and a valid incoming one is echoed: %s',
    async (path) => {
      const [plain, echoed] = [
        await authorized(path),
        await authorized(path, { headers: { 'x-request-id': 'trace-42' } }),
      ]
      expect(plain.headers['x-request-id']).toMatch(/^\S+$/)
      expect(echoed.headers['x-request-id']).toBe('trace-42')
      for (const bad of ['a b<script>', 'x'.repeat(1_000)])
        expect((await authorized(path, { headers: { 'x-request-id': bad } })).headers['x-request-id']).not.toBe(bad)
    },
  )

  test('authenticated answers are never cached, also when they are errors', async () => {
    const paths = ['/api/v1/voice/tts/voices', '/api/v1/voice/tts/schema', '/api/v1/voice/nothing/voices']
    for (const reply of [...(await Promise.all(paths.map((path) => authorized(path)))), await submit('Hello.')])
      expect(reply.headers['cache-control']).toBe('no-store')
  })

  test('the published endpoint is the one that the specification shows', async () => {
    const { inputs } = (entry.schema.properties ?? {}) as { inputs: Record<string, unknown> }
    const properties = inputs.properties as Record<string, Record<string, unknown>>
    expect(entry).toMatchObject({
      slug: 'tts',
      endpoint_key: 'voice.tts',
      method: 'POST',
      path: '/api/v1/voice/tts',
      scope: 'generate:voice',
      voice_input: 'voice',
      response_fields: ['created_at', 'completed_at'],
    })
    expect(Object.keys(entry.schema.properties as object).sort()).toEqual(['inputs', 'webhook_url'])
    expect(entry.schema).toMatchObject({
      required: ['inputs'],
      'x-outputs': { audio: { type: 'string', format: 'uri' } },
    })
    expect(Object.keys(properties).sort()).toEqual(['language', 'style_instruction', 'text', 'voice'])
    expect(inputs).toMatchObject({ type: 'object', additionalProperties: false, required: ['text', 'voice'] })
    expect(properties.language).toMatchObject({ enum: LANGUAGES, default: 'auto' })
    expect(properties.text).toMatchObject({ type: 'string', minLength: 1, maxLength: 10_000 })
    expect(entry.voices.length).toBeGreaterThanOrEqual(8)
    for (const voice of entry.voices)
      expect(voice).toEqual({
        slug: expect.any(String),
        name: expect.any(String),
        description: expect.any(String),
        kind: 'preset',
      })
  })

  test('catalog, entry, /schema and /voices agree', async () => {
    const catalog = (await get(CATALOG)).json<Catalog>()
    expect(Object.keys(catalog).sort()).toEqual(['catalog_version', 'endpoints'])
    expect(catalog.endpoints.find((one) => one.slug === 'tts')).toEqual(entry)
    const {
      name: _name,
      description: _description,
      voices,
      ...contract
    } = entry as Entry & { name: string; description: string }
    expect((await authorized('/api/v1/voice/tts/schema')).json()).toEqual(contract)
    expect((await authorized('/api/v1/voice/tts/voices')).json()).toEqual({ slug: 'tts', voice_input: 'voice', voices })
  })

  test.for([CATALOG, `${CATALOG}/tts`])(
    '%s has a strong ETag, is open to every origin, and needs no key',
    async (path) => {
      const reply = await get(path, { headers: { origin: 'https://elsewhere.example' } })
      expect(reply.headers.etag).toMatch(/^"[^"]+"$/)
      expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
      const asked = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' }
      const preflight = await get(path, { method: 'OPTIONS', headers: asked })
      expect([200, 204]).toContain(preflight.status)
      expect(preflight.headers['access-control-allow-origin']).toBe('*')
      const head = await get(path, { method: 'HEAD' })
      expect([head.status, head.headers.etag, head.bytes.length]).toEqual([200, reply.headers.etag, 0])
    },
  )

  test.for([CATALOG, `${CATALOG}/tts`])('%s understands every form of If-None-Match', async (path) => {
    const etag = (await get(path)).headers.etag!
    const ask = (value: string, method = 'GET') =>
      get(path, { method, headers: { 'if-none-match': value, origin: 'https://elsewhere.example' } })
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b",W/${etag} , "c"`, '*']) {
      const reply = await ask(value)
      expect([reply.status, reply.bytes.length, reply.headers.etag], value).toEqual([304, 0, etag])
      expect(reply.headers['access-control-allow-origin']).toBe('*')
    }
    expect((await ask(etag, 'HEAD')).status).toBe(304)
    for (const value of ['"other"', etag.slice(1, -1), `"x${etag.slice(1)}`, 'W/"other"', '""'])
      expect((await ask(value)).status, value).toBe(200)
  })

  test('a 202 says where the job is, and its poll asks for longer and longer pauses until the job is finished', async () => {
    // Its server is not there and is tried again and again, so that the job stays unfinished for as long as it takes.
    const engine = { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'none', retry_seconds: 60 }
    const file = join(await makeTempDir(), 'retried.json')
    await writeFile(file, JSON.stringify({ endpoints: [endpoint('retried', { engine })] }))
    await sonantHere(service.env, 'endpoints', 'apply', file)
    const isLive = async () => (await authorized('/api/v1/voice/retried/schema')).status === 200
    await until(isLive, 30_000, 'the endpoint to be live')
    const body = { inputs: { text: 'Wait.', voice: 'calm' } }
    const sent = await authorized('/api/v1/voice/retried', { method: 'POST', body })
    const jobId = sent.json<{ job_id: string }>().job_id
    expect(new URL(sent.headers.location!, service.url).pathname).toBe(`/api/v1/voice/jobs/${jobId}`)
    // Which one is right is a matter of the job's age: a busy machine may ask for the first time when that has grown.
    const pauses = new Set<string>()
    const grown = async () => {
      const begun = Date.now()
      const reply = await authorized(`/api/v1/voice/jobs/${jobId}`)
      const job = reply.json<VoiceJob>()
      expect(job).toEqual({ job_id: jobId, status: job.status, created_at: expect.any(String), completed_at: null })
      const pause = reply.headers['retry-after']!
      const created = Date.parse(job.created_at)
      expect([begun, Date.now()].map((at) => pauseAt((at - created) / 1000))).toContain(pause)
      return pauses.add(pause).size > 1
    }
    await until(grown, 40_000, 'Retry-After to grow')
    const short = (await submit('Done.')).json<VoiceJob>().job_id
    await finishedJob(service.url, service.key, short)
    expect((await authorized(`/api/v1/voice/jobs/${short}`)).headers).not.toHaveProperty('retry-after')
  })

  test.for(['/', '/api', '/api/v1', '/api/v2/public/voice', '/api/v1/public', '/media/none', '/favicon.ico'])(
    '%s is the error pair or a page, never a 5xx',
    async (path) => {
      const reply = await get(path)
      expect(reply.status).toBeLessThan(500)
      if (reply.status >= 400)
        expect(reply.json()).toMatchObject({ error: expect.any(String), error_code: expect.any(String) })
    },
  )

  test('the rate limit is reported on every authenticated answer, and counts down', async () => {
    const told = async (): Promise<Limited> => {
      const { headers } = await authorized('/api/v1/voice/tts/voices')
      return {
        remaining: Number(/\b(?:r|remaining)=(\d+)/.exec(headers.ratelimit ?? '')?.[1]),
        policy: headers['ratelimit-policy'],
      }
    }
    // At most one of three in a row begins the next minute.
    const all = [await told(), await told(), await told()]
    expect(all[0]!.policy).toMatch(/600/)
    expect(new Set(all.map(({ policy }) => policy)).size).toBe(1)
    const left = all.map(({ remaining }) => remaining)
    expect(left[1]! < left[0]! || left[2]! < left[1]!, String(left)).toBe(true)
  })
})

describe('the rate limit', () => {
  afterAll(cleanUp)

  test('a key that is over its limit is 429 with Retry-After, while other keys and the catalog are not', async () => {
    const service = await startService({ env: { RATE_LIMIT_PER_MINUTE: '5' } })
    const ask = (key: string) => call(`${service.url}/api/v1/voice/tts/voices`, { key })
    const other = await makeKey(service.env, 'demo')
    const replies = []
    for (let sent = 0; sent < 6; sent++) replies.push(await ask(service.key))
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200, 200, 429])
    const limited = replies[5]!
    expect(limited.json()).toEqual({ error: expect.any(String), error_code: 'RATE_LIMITED' })
    expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(limited.headers['ratelimit-policy']).toMatch(/\b5\b/)
    expect((await ask(other.apiKey)).status).toBe(200)
    for (let sent = 0; sent < 6; sent++) expect((await call(`${service.url}${CATALOG}`)).status).toBe(200)
  })
})
