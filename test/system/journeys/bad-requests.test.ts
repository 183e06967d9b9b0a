import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../../setup/http.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { creditsOf, makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, type Service, startService } from '../../setup/processes/process.ts'
import { until } from '../../setup/wait.ts'

const CREDITS = 1_000
const MEGABYTE = 1_048_576
const MISSING_JOB = 'job_01h2xcejqtf2nbrexx3vqjhp41'

/** A server may close before it has read a large body, and the client then sees the reset instead of the answer. */
const untilAnswered = (send: () => Promise<Reply>) =>
  until(() => send().catch(() => undefined), 30_000, 'an answer to a large body')

describe('bad requests', () => {
  let service: Service
  let key = ''
  let voice = ''

  const at = (path: string, options: Call = {}) => call(service.url + path, { key, ...options })
  const submit = (options: Call = {}) =>
    at('/api/v1/voice/tts', { method: 'POST', body: { inputs: { text: 'Hello.', voice } }, ...options })
  const createKey = (scopes?: string[]) => makeKey(service.env, 'careful', scopes)

  const expectProblem = (reply: Reply, status: number, code: string) => {
    expect(reply.status, reply.text).toBe(status)
    expect(reply.json()).toEqual({ error: expect.stringMatching(/\w/), error_code: code })
  }

  /** Sends bytes as they are and gives what comes back until the server closes or the answer's first part is there. */
  const exchange = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(service.port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
      let received = ''
      socket.setTimeout(30_000, () => socket.destroy(new Error('no answer')))
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
        if (received.includes('\r\n\r\n')) socket.destroy()
      })
      // Cut off before the last byte was sent: what came is the answer.
      const isCut = ({ code = '' }: NodeJS.ErrnoException) => ['ECONNRESET', 'EPIPE'].includes(code)
      socket.on('error', (error) => (received || isCut(error) ? resolve(received) : reject(error)))
      socket.on('close', () => resolve(received))
    })

  beforeAll(async () => {
    service = await startService({ env: { RATE_LIMIT_PER_MINUTE: '0' } })
    await makeAccount(service.env, 'careful', CREDITS)
    key = (await createKey()).apiKey
    const entry = await call(`${service.url}/api/v1/public/voice/tts`)
    voice = entry.json<{ voices: { slug: string }[] }>().voices[0]!.slug
  })
  afterAll(cleanUp)

  test.for<[string, (good: string) => string | undefined]>([
    ['no Authorization', () => undefined],
    ['an empty one', () => ''],
    ['Basic credentials', () => 'Basic YTpi'],
    ['Bearer alone', () => 'Bearer'],
    ['the key without Bearer', (good) => good],
    ['a word that is no key', () => 'Bearer hello'],
    ['a key whose checksum is wrong', (good) => `Bearer ${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`],
    ['a key cut short', (good) => `Bearer ${good.slice(0, -1)}`],
    ['a key of 8,000 characters', () => `Bearer snt_${'a'.repeat(8_000)}`],
    ['two keys', (good) => `Bearer ${good}, Bearer ${good}`],
    ['quotes and a wildcard', () => `Bearer ' or 1=1 --%`],
  ])('%s is 401 on every authenticated route, with WWW-Authenticate', async ([, header]) => {
    const authorization = header(key)
    const options: Call = { key: undefined, headers: authorization === undefined ? {} : { authorization } }
    const paths = ['/api/v1/voice/tts/voices', '/api/v1/voice/tts/schema', `/api/v1/voice/jobs/${MISSING_JOB}`]
    const replies = [await submit(options), ...(await Promise.all(paths.map((path) => at(path, options))))]
    for (const reply of replies) {
      expectProblem(reply, 401, 'UNAUTHORIZED')
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer/)
      expect(reply.headers['cache-control']).toBe('no-store')
    }
  })

  test('a deleted key is 401', async () => {
    const doomed = await createKey()
    expect((await at('/api/v1/voice/tts/voices', { key: doomed.apiKey })).status).toBe(200)
    await sonantHere(service.env, 'keys', 'delete', doomed.apiKeyId)
    expectProblem(await submit({ key: doomed.apiKey }), 401, 'UNAUTHORIZED')
  })

  test('a key without generate:voice is 403 whatever the path and the body', async () => {
    const reader = (await createKey(['job:read'])).apiKey
    for (const slug of ['tts', 'nothing'])
      for (const body of [{ inputs: { text: 'Hello.', voice } }, 'no json', 'x'.repeat(2 * MEGABYTE)]) {
        const send = () => at(`/api/v1/voice/${slug}`, { method: 'POST', key: reader, body })
        expectProblem(await untilAnswered(send), 403, 'FORBIDDEN')
      }
    expectProblem(await at('/api/v1/voice/nothing/voices', { key: reader }), 403, 'FORBIDDEN')
  })

  test.for([
    '/api/v1/voice/nothing/voices',
    '/api/v1/voice/TTS/voices',
    '/api/v1/voice/constructor/schema',
    '/api/v1/voice/__proto__/schema',
    '/api/v1/voice/%C3%A4/voices',
    `/api/v1/voice/${'a'.repeat(3_000)}/voices`,
    '/api/v1/public/voice/nothing',
    '/api/v1/public/voice/__proto__',
    `/api/v1/voice/jobs/${MISSING_JOB}`,
    '/api/v1/voice/jobs/job_zzzzzzzzzzzzzzzzzzzzzzzzzz',
    '/api/v1/voice/jobs/1',
    '/api/v1/voice/jobs/%27%20or%201=1',
    '/api/v1/nothing',
    '/nothing',
  ])('GET %s is 404 with the pair', async (path) => {
    expectProblem(await at(path), 404, 'NOT_FOUND')
  })

  test.for(['%00', 'a%00b', '%ff', '%', '%zz', '..%2f..%2fetc%2fpasswd', '%ed%a0%80'])(
    'a path with %s is refused with the pair, never a 500',
    async (part) => {
      for (const path of [
        `/api/v1/voice/${part}/voices`,
        `/api/v1/voice/jobs/${part}`,
        `/api/v1/public/voice/${part}`,
      ]) {
        const reply = await at(path)
        expectProblem(reply, reply.status === 400 ? 400 : 404, reply.status === 400 ? 'INVALID_REQUEST' : 'NOT_FOUND')
      }
    },
  )

  test('another account does not see the job', async () => {
    const sent = await submit({ key: service.key })
    const jobId = sent.json<{ job_id: string }>().job_id
    expect((await at(`/api/v1/voice/jobs/${jobId}`, { key: service.key })).status).toBe(200)
    const [foreign, missing] = await Promise.all([jobId, MISSING_JOB].map((id) => at(`/api/v1/voice/jobs/${id}`)))
    expect(foreign!.text).toBe(missing!.text)
    expectProblem(foreign!, 404, 'NOT_FOUND')
  })

  test.for<[string, string, string]>([
    ['GET', '/api/v1/voice/tts', 'POST'],
    ['PUT', '/api/v1/voice/tts', 'POST'],
    ['DELETE', '/api/v1/voice/tts', 'POST'],
    ['POST', '/api/v1/voice/tts/voices', 'GET'],
    ['POST', '/api/v1/voice/tts/schema', 'GET'],
    ['PATCH', '/api/v1/public/voice', 'GET'],
    ['DELETE', '/api/v1/public/voice/tts', 'GET'],
  ])('%s %s is 405 with Allow: %s', async ([method, path, allowed]) => {
    const reply = await at(path, { method })
    expectProblem(reply, 405, 'METHOD_NOT_ALLOWED')
    expect(reply.headers.allow?.split(/,\s*/)).toContain(allowed)
    expect(reply.headers.allow?.split(/,\s*/)).not.toContain(method)
  })

  test.for([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/xml',
    'nonsense',
    'none',
  ])('a body of content type %s is 415', async (type) => {
    expectProblem(
      await submit({ type, body: `{"inputs":{"text":"Hello.","voice":"${voice}"}}` }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    )
  })

  test('a content type with a charset and other capitals is accepted', async () => {
    expect((await submit({ key: service.key, type: 'Application/JSON; charset=UTF-8' })).status).toBe(202)
  })

  test('a body over 1 MiB is 413, announced or chunked', async () => {
    const text = 'x'.repeat(2 * MEGABYTE)
    const reply = await untilAnswered(() => submit({ body: { inputs: { text, voice } } }))
    expectProblem(reply, 413, 'PAYLOAD_TOO_LARGE')
    const head = `POST /api/v1/voice/tts HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
    expect(await exchange(`${head}content-length: ${2 * MEGABYTE}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
    const chunk = `${(MEGABYTE + 1).toString(16)}\r\n${text.slice(0, MEGABYTE + 1)}\r\n`
    const chunked = () => exchange(`${head}transfer-encoding: chunked\r\n\r\n${chunk}`)
    // As above, the reset may come first.
    expect(await until(chunked, 30_000, 'an answer to a large body')).toMatch(/^HTTP\/1\.1 413 /)
  })

  test.for([
    'NONSENSE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /api/v1/public/voice HTTP/1.1\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`,
    'POST /api/v1/voice/tts HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ])('broken HTTP is answered with a 4xx or cut off, and hurts no other client (%#)', async (bytes) => {
    expect(await exchange(bytes)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/)
    expect((await call(`${service.url}/health/ready`)).status).toBe(200)
  })

  test('none of it was charged', async () => {
    expect(await creditsOf(service.env, 'careful')).toBe(CREDITS)
  })
})
