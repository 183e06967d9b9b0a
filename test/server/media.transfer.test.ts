import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Fastify from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { mountMedia } from '../../src/server/media.ts'
import { openDisk } from '../../src/storage/disk.ts'
import { signMediaPath } from '../../src/storage/sign-url.ts'
import type { ByteRange, Storage } from '../../src/storage/storage.ts'

const GRANT = { key: 'job_01/long.wav', contentType: 'audio/wav', expires: Math.floor(Date.now() / 1000) + 900 }
/** More than the buffers of a connection hold, so that the file is still open when the client leaves. */
const CONTENT = randomBytes(20_000_000)
const signingKey = randomBytes(32)
const dir = mkdtempSync(join(tmpdir(), 'sonant-media-'))
const disk = openDisk({ dir, publicUrl: () => '', signingKey })
const app = Fastify()
let storage: Storage = disk

beforeAll(async () => {
  await disk.put(GRANT.key, CONTENT, GRANT)
  const current: Storage = { ...disk, read: (key, range) => storage.read(key, range) }
  const nothing = { prisma: { artifact: { findUnique: async () => null } } } as unknown as Database
  mountMedia(app, { db: nothing, storage: current, signingKey, now: () => new Date(), log: pino({ level: 'silent' }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
})

afterAll(async () => {
  await app.close()
  rmSync(dir, { recursive: true })
})

const ask = () => {
  const { port } = app.server.address() as AddressInfo
  return httpRequest({ port, host: '127.0.0.1', path: signMediaPath(signingKey, GRANT) }).end()
}

describe('a whole transfer', () => {
  test('brings every byte and closes the file', async () => {
    const opened: Readable[] = []
    storage = { ...disk, read: (key, range) => remember(opened, disk.read(key, range)) }
    const [response] = (await once(ask(), 'response')) as [Readable]
    expect((await buffer(response)).equals(CONTENT)).toBe(true)
    await expect.poll(() => opened.map((stream) => stream.closed)).toEqual([true])
  })
})

describe('a client that goes away', () => {
  test('in the middle of the content closes the file', async () => {
    const opened: Readable[] = []
    storage = { ...disk, read: (key, range) => remember(opened, disk.read(key, range)) }
    const client = ask()
    const [response] = (await once(client, 'response')) as [Readable]
    await once(response, 'data')
    response.destroy()
    await expect.poll(() => opened.map((stream) => stream.closed)).toEqual([true])
  })

  test('before the file is open closes it as well', async () => {
    const opened: Readable[] = []
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    app.server.once('request', (_request, response) => response.once('close', gone.resolve))
    const late = async (key: string, range?: ByteRange) => {
      asked.resolve()
      await gone.promise
      return disk.read(key, range)
    }
    storage = { ...disk, read: (key, range) => remember(opened, late(key, range)) }
    const client = ask()
    client.on('error', () => {})
    await asked.promise
    client.destroy()
    await expect.poll(() => opened.map((stream) => stream.closed)).toEqual([true])
  })

  test('a file that breaks off breaks the transfer visibly', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('01234')
        throw new Error('the disk is broken')
      })(),
    )
    storage = { ...disk, read: async () => broken }
    const client = ask()
    const received = once(client, 'response').then(([response]) => response.toArray())
    await expect(Promise.race([received, once(client, 'close').then(() => received)])).rejects.toThrow()
  })
})

async function remember(streams: Readable[], opening: Promise<Readable>): Promise<Readable> {
  const stream = await opening
  streams.push(stream)
  return stream
}
