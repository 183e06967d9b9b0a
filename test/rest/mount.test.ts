import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, post, SPEAK, startDoor } from '../setup/service/start-rest.ts'

let door: Door
let key: string
let send: Door['send']
let firstVoice: Door['firstVoice']
beforeAll(async () => {
  door = await startDoor()
  key = await door.createKey()
  ;({ send, firstVoice } = door)
})
afterAll(() => door.close())

const HEADERS = { 'content-type': 'application/json' }

const read = (path: string, bearer = key) => send({ headers: { authorization: `Bearer ${bearer}` } }, path)

it.each(['/api/v1', '/v1'])(
  'the document below %s has an absolute server, without PUBLIC_URL as well',
  async (root) => {
    const named = door.url.replace('127.0.0.1', 'localhost')
    for (const url of [door.url, named, door.url]) {
      const answer = await fetch(`${url}${root}/openapi.json`)
      expect(await answer.json()).toMatchObject({ servers: [{ url: `${url}${root}` }] })
    }
  },
)

describe('voiceJob', () => {
  it('asks for a slower pace as the job grows older', async () => {
    const { body: made } = await send(post(key, { inputs: { text: 'Hi.', voice: firstVoice() } }))
    const paces: (string | null)[] = []
    for (const age of [0, 10, 30, 600]) {
      const change = `update job set created_at = now() - make_interval(secs => $2) where id = $1`
      await door.runtime.db.pool.query(change, [made.job_id, age])
      const { response, body } = await read(`/api/v1/voice/jobs/${made.job_id}`)
      expect(body).toEqual({
        job_id: made.job_id,
        status: 'queued',
        created_at: expect.any(String),
        completed_at: null,
      })
      paces.push(response.headers.get('retry-after'))
    }
    expect(paces).toEqual(['1', '2', '5', '10'])
  })

  it.each(['job_nothing', 'voices', '%00', 'a'.repeat(3_000)])('answers 404 for %s', async (jobId) => {
    const { status, body } = await read(`/api/v1/voice/jobs/${jobId}`)
    expect([status, body.error_code]).toEqual([404, 'NOT_FOUND'])
  })

  it("does not show another account's job", async () => {
    const made = await send(post(key, { inputs: { text: 'Hi.', voice: firstVoice() } }))
    const other = await door.createKey()
    expect((await read(`/api/v1/voice/jobs/${made.body.job_id}`, other)).status).toBe(404)
  })
})

describe('endpointSchema', () => {
  it('reports the version of the catalog', async () => {
    const { body } = await read(`${SPEAK}/schema`)
    const entry = await send({}, '/api/v1/public/voice/tts')
    const {
      name: _name,
      description: _description,
      voices: _voices,
      ...contract
    } = entry.body as unknown as Record<string, unknown>
    expect(body).toEqual(contract)
  })
})

describe('the order of checks', () => {
  it('is 401, 403, 404, and only then the body', async () => {
    const scopeless = await door.createKey({ scopes: ['job:read'] })
    const asked = (bearer: string, path: string) => send(post(bearer, '{', { 'content-type': 'text/plain' }), path)
    expect((await asked('snt_nonsense', '/api/v1/voice/nothing')).status).toBe(401)
    expect((await asked(scopeless, '/api/v1/voice/nothing')).status).toBe(403)
    expect((await asked(key, '/api/v1/voice/nothing')).status).toBe(404)
    expect((await asked(key, '/api/v1/voice/jobs')).status).toBe(404)
    expect((await asked(key, SPEAK)).status).toBe(415)
  })

  it('tells how to authenticate, and lets no cache store the answer', async () => {
    const { response, body } = await read(`${SPEAK}/voices`, 'nonsense')
    expect([response.status, body.error_code]).toEqual([401, 'UNAUTHORIZED'])
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['DELETE', '/api/v1/voice/tts', 'POST'],
    ['HEAD', '/api/v1/voice/tts', 'POST'],
    ['POST', '/api/v1/voice/tts/voices', 'GET, HEAD'],
    ['PUT', '/api/v1/voice/jobs/x', 'GET, HEAD'],
    ['POST', '/api/v1/public/voice', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/health/live', 'GET, HEAD'],
  ])('refuses %s %s with 405, and before that with 401 where the path asks for a key', async (method, path, allow) => {
    const ask = (bearer: string) =>
      fetch(door.url + path, { method, headers: { ...HEADERS, authorization: `Bearer ${bearer}` } })
    const known = await ask(key)
    expect([known.status, known.headers.get('allow')]).toEqual([405, allow])
    const anonymous = await ask('nonsense')
    const isOpen = path.startsWith('/api/v1/public') || path.startsWith('/health')
    expect([anonymous.status, anonymous.headers.get('allow')]).toEqual(isOpen ? [405, allow] : [401, null])
    if (isOpen) return
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer')
    for (const response of [known, anonymous]) expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

describe('a request id', () => {
  it('is taken over where it is valid and made where it is not', async () => {
    const ask = async (id: string) => {
      const response = await fetch(`${door.url}/nowhere`, { headers: { 'x-request-id': id } })
      return response.headers.get('x-request-id')
    }
    expect(await ask('Trace_1.2-3')).toBe('Trace_1.2-3')
    expect(await ask('a'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/)
    expect(await ask('a b')).toMatch(/^[0-9a-f-]{36}$/)
  })
})
