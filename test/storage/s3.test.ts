import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreDown } from '../../src/errors/outages.ts'
import { openS3 } from '../../src/storage/s3.ts'
import { parseS3Url } from '../../src/storage/s3-url.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { describeStorage } from '../setup/checks/storage-contract.ts'
import { call } from '../setup/http.ts'
import { S3_CREDENTIALS, type S3Server, startS3Server } from '../setup/servers/s3-server.ts'
import { signatureFault } from '../setup/servers/s3-signature.ts'

const WAV = { contentType: 'audio/wav' }
const MIB = 1024 * 1024

let server: S3Server
beforeAll(async () => {
  server = await startS3Server()
})
afterAll(() => server.close())

const open = (): Storage => openS3(parseS3Url(server.storageUrl), S3_CREDENTIALS)

describeStorage('S3', open)

describe('S3', () => {
  test('that is away is an outage, and so is one that takes this key no longer', async () => {
    const denied = openS3(parseS3Url(server.storageUrl), { ...S3_CREDENTIALS, secretAccessKey: 'another' })
    const refusal = await denied.stat('job_away/audio.wav').catch((error: Error) => error)
    server.goAway()
    try {
      const outage = await open()
        .stat('job_away/audio.wav')
        .catch((error: Error) => error)
      expect([refusal, outage].map((error) => error instanceof StoreDown)).toEqual([true, true])
      expect([refusal, outage].every((error) => error instanceof Error)).toBe(true)
    } finally {
      server.comeBack()
    }
  })

  test('that is away ends what waits for it as soon as its signal does', async () => {
    server.goAway()
    try {
      const over = new AbortController()
      const stored = open().put('job_away/audio.wav', randomBytes(1000), { ...WAV, signal: over.signal })
      setImmediate(() => over.abort(new Error('the job is taken away')))
      await expect(stored).rejects.toThrow('the job is taken away')
    } finally {
      server.comeBack()
    }
  })

  test.each([8, 20])('a stream of %i MiB and one byte comes back whole, with its SHA-256', async (size) => {
    const key = `job_large/${size}.wav`
    const bytes = randomBytes(size * MIB + 1)
    const chunks = Array.from({ length: Math.ceil(bytes.length / 300_000) }, (_, at) =>
      bytes.subarray(at * 300_000, (at + 1) * 300_000),
    )
    const stored = await open().put(key, Readable.from(chunks), WAV)
    expect(stored.bytes).toBe(bytes.length)
    expect(Buffer.from(stored.sha256)).toEqual(createHash('sha256').update(bytes).digest())
    expect((await open().stat(key))?.bytes).toBe(bytes.length)
    expect((await buffer(await open().read(key))).equals(bytes)).toBe(true)
    await open().delete(key)
  })

  test('a long stream goes up as it comes: no more of it is held than two parts of 8 MiB', async () => {
    const before = server.uploads()
    let [produced, ahead] = [0, 0]
    const source = Readable.from(
      (async function* () {
        for (; produced < 50 * MIB; produced += MIB) {
          ahead = Math.max(ahead, produced - (server.uploads() - before) * 8 * MIB)
          yield Buffer.alloc(MIB)
        }
      })(),
      { objectMode: false },
    )
    expect((await open().put('job_large/flow.wav', source, WAV)).bytes).toBe(50 * MIB)
    expect(server.uploads() - before).toBe(7)
    expect(ahead).toBeLessThanOrEqual(17 * MIB)
    await open().delete('job_large/flow.wav')
  })

  test('a stream that breaks off after its first parts leaves nothing', async () => {
    const key = 'job_large/broken.wav'
    const source = Readable.from(
      (async function* () {
        for (let part = 0; part < 10; part++) yield randomBytes(MIB)
        throw new Error('the source broke')
      })(),
    )
    await expect(open().put(key, source, WAV)).rejects.toThrow('the source broke')
    expect(await open().stat(key)).toBeNull()
    expect(source.destroyed).toBe(true)
  })

  test('a signed URL answers GET with the content type that was signed, and single ranges', async () => {
    const storage = open()
    await storage.put('job_url/audio.wav', Buffer.from('0123456789'), { contentType: 'application/octet-stream' })
    const url = await storage.signUrl('job_url/audio.wav', { ...WAV, now: new Date() })
    const whole = await call(url)
    expect([whole.status, whole.text, whole.headers['content-type']]).toEqual([200, '0123456789', 'audio/wav'])
    const part = await call(url, { headers: { range: 'bytes=2-4' } })
    expect([part.status, part.text]).toEqual([206, '234'])
    const known = await call(url, { headers: { 'if-none-match': String(whole.headers.etag) } })
    expect([known.status, known.text]).toEqual([304, ''])
  })

  test('a signed URL is refused once it is older than 15 minutes, tampered with, or without its signature', async () => {
    const storage = open()
    await storage.put('job_url/old.wav', Buffer.from('x'), WAV)
    const signedAgo = (seconds: number) =>
      storage.signUrl('job_url/old.wav', { ...WAV, now: new Date(Date.now() - seconds * 1000) })
    expect(new URL(await signedAgo(0)).searchParams.get('X-Amz-Expires')).toBe('900')
    expect((await call(await signedAgo(840))).status).toBe(200)
    expect((await call(await signedAgo(960))).status).toBe(403)
    const url = await signedAgo(0)
    expect((await call(url.replace('audio%2Fwav', 'text%2Fhtml'))).status).toBe(403)
    expect((await call(url.replace('old.wav', 'other.wav'))).status).toBe(403)
  })

  const NO_API = 'The endpoint has an answer for every path: it is not the one of an S3 API.'
  const DENIED = '<Error><Code>AccessDenied</Code></Error>'
  test.each<[what: string, answer: (method?: string) => [status: number, body: string], error: string | null]>([
    ['a page for every path', () => [200, '<!doctype html>'], NO_API],
    ['no right to anything', () => [403, DENIED], 'S3 answered 403 AccessDenied to PUT.'],
    ['the right to write alone', (method) => (method === 'GET' ? [403, DENIED] : [200, '']), null],
  ])('an endpoint that gives %s is judged at start', async (_what, answer, error) => {
    const asked: string[] = []
    const other = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      const [status, body] = answer(request.method)
      response.writeHead(status).end(body)
    })
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const url = `s3://audio?endpoint=http://127.0.0.1:${(other.address() as AddressInfo).port}&region=us-east-1`
    const probed = openS3(parseS3Url(url), S3_CREDENTIALS).probe()
    await expect(
      probed.then(
        () => null,
        ({ message }: Error) => message,
      ),
    ).resolves.toBe(error)
    expect(asked.every((line) => line.endsWith('/audio/probe/none') || line.endsWith('/audio/probe/written'))).toBe(
      true,
    )
    expect(asked.at(-1)).toMatch(error === null ? /^DELETE / : /^(GET|PUT) /)
    await new Promise((resolve) => other.close(resolve))
  })

  test('wrong credentials are refused, in words that name neither the key nor the URL', async () => {
    const unauthorized = openS3(parseS3Url(server.storageUrl), { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' })
    const rejection = await unauthorized.put('job_url/x.wav', Buffer.from('x'), WAV).catch((error: Error) => error)
    expect((rejection as Error).message).toBe('S3 answered 403 SignatureDoesNotMatch to PUT.')
  })

  test('a store that does not answer is an error after a few tries', async () => {
    const nowhere = openS3(parseS3Url('s3://artifacts?endpoint=http://127.0.0.1:1'), S3_CREDENTIALS)
    await expect(nowhere.stat('job_url/x.wav')).rejects.toThrow('S3 cannot be reached')
  })
})

describe('the S3 server of the tests', () => {
  test("takes the signature of Amazon's own example and no other", () => {
    const query =
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature='
    const fault = (signature: string) =>
      signatureFault(
        {
          method: 'GET',
          target: `/test.txt?${query}${signature}`,
          headers: { host: 'examplebucket.s3.amazonaws.com' },
        },
        'AKIAIOSFODNN7EXAMPLE',
        'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
        new Date('2013-05-24T01:00:00Z'),
      )
    expect(fault('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')).toBeNull()
    expect(fault('beeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')).toBe('SignatureDoesNotMatch')
  })
})
