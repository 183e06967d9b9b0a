import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { ServiceError } from '../../src/errors/service-error.ts'
import { mountMedia } from '../../src/server/media.ts'
import { openDisk } from '../../src/storage/disk.ts'
import { signMediaPath } from '../../src/storage/sign-url.ts'
import type { Storage } from '../../src/storage/storage.ts'

const NOW = new Date('2026-01-31T09:05:00Z')
const EXPIRES = NOW.getTime() / 1000 + 900
const KEY = 'job_01/audio.wav'
const CONTENT = Buffer.from('0123456789')
const SATISFIABLE = `bytes=0-3 0123 0-3, bytes=4- 456789 4-9, bytes=-3 789 7-9, bytes=-99 0123456789 0-9,
  bytes=8-99999999999999999999999 89 8-9, BYTES=9-9 9 9-9`
  .split(/,\s+/)
  .map((row) => row.split(' ') as [string, string, string])
const IGNORED = 'bytes=3-1|bytes=0-1,3-4|bytes=-|bytes=|bytes=a-b|bytes=1|items=0-1|bytes=+1-2|bytes=--1|'.split('|')
const signingKey = randomBytes(32)
const dir = mkdtempSync(join(tmpdir(), 'sonant-media-'))
const disk = openDisk({ dir, publicUrl: () => '', signingKey })
const WAV = { contentType: 'audio/wav' }

let app: FastifyInstance
let port: number
let storage: Storage = disk
let now = NOW

beforeAll(async () => {
  await disk.put(KEY, CONTENT, WAV)
  await disk.put('job_01/empty.wav', new Uint8Array(0), WAV)
  app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    const known = error instanceof ServiceError ? error : new ServiceError('INTERNAL_ERROR', 'Try again.')
    return reply.code(known.status).send({ error: known.message, error_code: known.code })
  })
  const current: Storage = { ...disk, stat: (key) => storage.stat(key), read: (key, range) => storage.read(key, range) }
  const nothing = { prisma: { artifact: { findUnique: async () => null } } } as unknown as Database
  mountMedia(app, { db: nothing, storage: current, signingKey, now: () => now, log: pino({ level: 'silent' }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})

afterAll(async () => {
  await app.close()
  rmSync(dir, { recursive: true })
})

const sign = (key = KEY, contentType = 'audio/wav', expires = EXPIRES) =>
  signMediaPath(signingKey, { key, contentType, expires })

const get = (url: string, headers: InjectOptions['headers'] = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers })

describe('a valid URL', () => {
  test('answers GET with the whole content and what it is', async () => {
    const response = await get(sign())
    expect(response.statusCode).toBe(200)
    expect(response.rawPayload).toEqual(CONTENT)
    expect(response.headers).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=900',
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    })
  })

  test('answers HEAD with the same headers and opens no file', async () => {
    const whole = await get(sign())
    let reads = 0
    storage = { ...disk, read: (...args) => disk.read(...args).finally(() => reads++) }
    const head = await get(sign(), { range: 'bytes=0-1' }, 'HEAD')
    storage = disk
    expect([head.statusCode, head.payload, reads]).toEqual([200, '', 0])
    const { date: _, connection: __, ...expected } = whole.headers
    expect(head.headers).toMatchObject(expected)
  })

  test('answers for an empty file, a long key and a type with parameters', async () => {
    const empty = await get(sign('job_01/empty.wav'))
    expect([empty.statusCode, empty.headers['content-length'], empty.payload]).toEqual([200, '0', ''])
    const key = `${'a'.repeat(200)}/${'b'.repeat(200)}`
    await disk.put(key, CONTENT, WAV)
    const long = await get(sign(key, 'audio/ogg; codecs="opus"'))
    expect([long.statusCode, long.headers['content-type']]).toEqual([200, 'audio/ogg; codecs="opus"'])
  })

  test('without a file is 404 for GET and HEAD, also when it goes between two looks', async () => {
    const missing = await get(sign('job_01/none.wav'))
    expect([missing.statusCode, missing.json().error_code]).toEqual([404, 'NOT_FOUND'])
    expect((await get(sign('job_01/none.wav'), {}, 'HEAD')).statusCode).toBe(404)
    let looks = 0
    storage = {
      ...disk,
      stat: async () => (looks++ === 0 ? { bytes: 10, modified: NOW } : null),
      read: () => disk.read('job_01/none.wav'),
    }
    expect((await get(sign())).statusCode).toBe(404)
    storage = { ...disk, read: () => Promise.reject(new Error('the disk is broken')) }
    const broken = await get(sign())
    storage = disk
    expect([broken.statusCode, broken.headers['content-type']]).toEqual([500, 'application/json; charset=utf-8'])
    expect(broken.headers.etag).toBeUndefined()
  })
})

describe('ranges', () => {
  test.each(SATISFIABLE)('%s is 206', async (range, payload, sent) => {
    const response = await get(sign(), { range })
    expect([response.statusCode, response.payload]).toEqual([206, payload])
    expect(response.headers['content-range']).toBe(`bytes ${sent}/10`)
    expect(response.headers['content-length']).toBe(String(payload.length))
  })

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999999-'])('%s is 416', async (range) => {
    const response = await get(sign(), { range })
    expect([response.statusCode, response.headers['content-range']]).toEqual([416, 'bytes */10'])
    expect(response.json()).toEqual({ error: expect.any(String), error_code: 'INVALID_REQUEST' })
  })

  test.each(IGNORED)('%j is ignored', async (range) => {
    const response = await get(sign(), { range })
    expect([response.statusCode, response.payload]).toEqual([200, '0123456789'])
    expect(response.headers['content-range']).toBeUndefined()
  })

  test('an empty file has no satisfiable first byte, and its suffix is all of it', async () => {
    const url = sign('job_01/empty.wav')
    expect((await get(url, { range: 'bytes=0-' })).headers['content-range']).toBe('bytes */0')
    expect((await get(url, { range: 'bytes=-5' })).statusCode).toBe(200)
  })

  test('If-Range sends the range only for the very same content', async () => {
    const etag = String((await get(sign())).headers.etag)
    const status = async (ifRange: string) =>
      (await get(sign(), { range: 'bytes=0-1', 'if-range': ifRange })).statusCode
    expect(await status(etag)).toBe(206)
    expect(await status(`W/${etag}`)).toBe(200)
    expect(await status('"other"')).toBe(200)
    expect(await status(NOW.toUTCString())).toBe(200)
  })

  test('If-Range takes the date of the content, and no other', async () => {
    const modified = String((await get(sign())).headers['last-modified'])
    now = new Date(Date.parse(modified) + 60_000)
    const url = sign(KEY, 'audio/wav', now.getTime() / 1000 + 900)
    const range = async (ifRange: string) => (await get(url, { range: 'bytes=0-1', 'if-range': ifRange })).statusCode
    expect(await range(modified)).toBe(206)
    expect(await range(new Date(Date.parse(modified) + 1000).toUTCString())).toBe(200)
    expect(await range(new Date(Date.parse(modified) - 1000).toUTCString())).toBe(200)
    expect(await range('yesterday')).toBe(200)
    // A date of this very second is no strong validator: the content could have changed within it.
    now = new Date(Date.parse(modified))
    expect(await range(modified)).toBe(200)
    now = NOW
  })

  test('the ETag outlives the signature and differs between contents', async () => {
    const tagOf = async (url: string) => (await get(url)).headers.etag
    expect(await tagOf(sign(KEY, 'audio/wav', EXPIRES - 1))).toBe(await tagOf(sign()))
    expect(await tagOf(sign('job_01/empty.wav'))).not.toBe(await tagOf(sign()))
  })
})

describe('a copy that the caller already has', () => {
  test.each(['GET', 'HEAD'] as const)('is confirmed by 304 without a body, %s', async (method) => {
    const { headers } = await get(sign())
    const [etag, modified] = [String(headers.etag), String(headers['last-modified'])]
    const later = new Date(Date.parse(modified) + 60_000).toUTCString()
    const asctime = new Date(modified).toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 $4')
    for (const condition of [
      ...[etag, `W/${etag}`, `"other", ${etag}`, '*'].map((value) => ({ 'if-none-match': value })),
      ...[modified, later, asctime].map((value) => ({ 'if-modified-since': value })),
      { 'if-none-match': etag, 'if-modified-since': new Date(0).toUTCString() },
      { 'if-none-match': etag, range: 'bytes=0-1' },
    ]) {
      const response = await get(sign(), condition, method)
      expect([response.statusCode, response.payload], JSON.stringify(condition)).toEqual([304, ''])
      expect(response.headers).toMatchObject({ etag, 'cache-control': 'private, max-age=900' })
      expect(response.headers).not.toHaveProperty('content-type')
    }
  })

  test('is sent anew where it is another one, or the condition says nothing', async () => {
    const { headers } = await get(sign())
    const modified = String(headers['last-modified'])
    for (const condition of [
      { 'if-none-match': '"other"' },
      { 'if-none-match': '"other"', 'if-modified-since': modified },
      { 'if-modified-since': new Date(Date.parse(modified) - 1000).toUTCString() },
      { 'if-modified-since': 'tomorrow' },
      { 'if-modified-since': '9999' },
    ])
      expect((await get(sign(), condition)).statusCode, JSON.stringify(condition)).toBe(200)
  })

  test.each(['GET', 'HEAD'] as const)(
    'is asked for by If-Match and If-Unmodified-Since: another one is 412, %s',
    async (method) => {
      const { headers } = await get(sign())
      const [etag, modified] = [String(headers.etag), String(headers['last-modified'])]
      const before = new Date(Date.parse(modified) - 1000).toUTCString()
      const statusOf = async (condition: InjectOptions['headers']) => (await get(sign(), condition, method)).statusCode
      for (const condition of [
        ...[etag, `"other", ${etag}`, ' * '].map((value) => ({ 'if-match': value })),
        { 'if-match': etag, 'if-unmodified-since': before },
        ...[modified, 'tomorrow'].map((value) => ({ 'if-unmodified-since': value })),
      ])
        expect(await statusOf(condition), JSON.stringify(condition)).toBe(200)
      for (const condition of [
        ...['"other"', `W/${etag}`, 'none', ''].map((value) => ({ 'if-match': value })),
        { 'if-match': '"other"', 'if-none-match': etag },
        { 'if-match': '"other"', 'if-unmodified-since': modified },
        { 'if-unmodified-since': before, range: 'bytes=0-1' },
      ])
        expect(await statusOf(condition), JSON.stringify(condition)).toBe(412)
      const { payload } = await get(sign(), { 'if-match': '"other"' })
      expect(JSON.parse(payload)).toEqual({ error: expect.stringContaining('If-Match'), error_code: 'INVALID_REQUEST' })
      expect(await statusOf({ 'if-match': etag, 'if-none-match': etag })).toBe(304)
    },
  )

  test('does not open a URL that is refused or leads nowhere', async () => {
    expect((await get(sign(KEY, 'audio/wav', 1), { 'if-none-match': '*' })).statusCode).toBe(403)
    expect((await get(sign('job_01/none.wav'), { 'if-none-match': '*' })).statusCode).toBe(404)
  })
})

describe('a tampered or expired URL', () => {
  const refused = {
    'no query': '/media/job_01/audio.wav',
    'a missing file': '/media/job_01/none.wav',
    'no key': '/media/',
    'an expired URL': sign(KEY, 'audio/wav', 1),
    'a truncated signature': sign().slice(0, -1),
    'an extra parameter': `${sign()}&x=1`,
    'an escaped letter in the path': sign().replace('audio.wav', '%61udio.wav'),
    'an escaped slash in the path': sign().replace('job_01/', 'job_01%2F'),
    'a doubled slash': sign().replace('job_01/', 'job_01//'),
    'a dot part': sign().replace('job_01/', 'job_01/./'),
    'a way up': sign().replace('job_01/', '../job_01/'),
  }

  test.each(Object.entries(refused))('%s is refused, and all refusals are the same bytes', async (_, url) => {
    const response = await rawGet(url)
    expect([response.status, JSON.parse(response.body)]).toEqual([
      403,
      { error: expect.any(String), error_code: 'FORBIDDEN' },
    ])
    expect(response).toEqual(await rawGet(sign(KEY, 'audio/wav', 2)))
    expect((await rawGet(url, 'HEAD')).status).toBe(403)
  })

  test('a URL is valid until the very millisecond of its expiry', async () => {
    now = new Date(EXPIRES * 1000 - 1)
    expect((await get(sign())).statusCode).toBe(200)
    now = new Date(EXPIRES * 1000)
    expect((await get(sign())).statusCode).toBe(403)
    now = NOW
  })
})

/** Sends the target as it is, where URL parsers would tidy it; leaves out the one header that may differ. */
async function rawGet(path: string, method = 'GET') {
  const client = httpRequest({ port, host: '127.0.0.1', path, method }).end()
  const [response] = (await once(client, 'response')) as [IncomingMessage]
  const { date: _, ...headers } = response.headers
  return { status: response.statusCode, headers, body: await text(response) }
}
