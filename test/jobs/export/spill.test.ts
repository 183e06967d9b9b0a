import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSpill, type Spill } from '../../../src/jobs/export/spill.ts'

const CHUNKS = 400
const LARGEST_CHUNK_BYTES = 100_000

let dir: string
let spill: Spill
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sonant-spill-'))
  spill = openSpill({ dir, maxBytes: 2 ** 30, maxBytesPerOwner: 2 ** 29 })
})
afterAll(async () => {
  await spill.close()
  await rm(dir, { recursive: true, force: true })
})

/** Chunks of many sizes, no two bytes of a neighbourhood alike. */
const chunks = Array.from({ length: CHUNKS }, (_nothing, n) =>
  Buffer.alloc(1 + ((n * 7919) % LARGEST_CHUNK_BYTES), `${n},`),
)

const sourceOf = (bytes: AsyncIterable<Buffer> | Readable) => ({
  chunks: bytes,
  destroy: () => void (bytes instanceof Readable && bytes.destroy()),
})

describe('a spill', () => {
  test.each([0, 1, 2, 3, 7, 40])(
    'gives out the same bytes in their order, whatever a reader skips: every %i turns',
    async (pause) => {
      const reader = spill.through(sourceOf(Readable.from(chunks, { objectMode: true })), 'owner')
      const read: Buffer[] = []
      let spilled = 0
      for await (const chunk of reader as AsyncIterable<Buffer>) {
        read.push(chunk)
        // Fast and slow by turns, so that bytes come out of the file and past it.
        for (let n = 0; n < pause * (read.length % 3); n++) await turn()
        spilled = Math.max(spilled, spill.bytes)
      }
      expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true)
      if (pause === 40) expect(spilled).toBeGreaterThan(0)
      await expect.poll(() => spill.bytes).toBe(0)
    },
  )

  test.each([0, 1, 3, 20])('pours the same bytes into what takes each in %i turns', async (pause) => {
    const read: Buffer[] = []
    let spilled = 0
    const slow = new Writable({
      write: async (chunk: Buffer, _encoding, done) => {
        for (let n = 0; n < pause; n++) await turn()
        spilled = Math.max(spilled, spill.bytes)
        read.push(chunk)
        done()
      },
    })
    await pipeline(spill.through(sourceOf(Readable.from(chunks, { objectMode: true })), 'owner'), slow)
    expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true)
    if (pause === 20) expect(spilled).toBeGreaterThan(0)
    await expect.poll(() => spill.bytes).toBe(0)
  })

  test('fails what it is poured into when its source fails', async () => {
    const broken = async function* () {
      yield Buffer.from('begun')
      throw new Error('lost')
    }
    const ended = pipeline(
      spill.through(sourceOf(broken()), 'owner'),
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    )
    await expect(ended).rejects.toThrow('lost')
  })

  test('breaks the streams of an owner that takes more than its share, and of no other', async () => {
    const own = openSpill({ dir: join(dir, 'own'), maxBytes: 3_000_000, maxBytesPerOwner: 1_000_000 })
    const megabyte = (megabytes: number) => sourceOf(Readable.from(Array(megabytes * 10).fill(Buffer.alloc(100_000))))
    const failed = new Promise<Error>((resolve) => own.through(megabyte(2), 'greedy').once('error', resolve))
    expect(await failed).toMatchObject({ code: 'UNAVAILABLE' })
    await expect.poll(() => own.bytes).toBe(0)
    const held = ['one', 'two', 'three'].map((owner) =>
      own.through(sourceOf(Readable.from([Buffer.alloc(900_000)])), owner),
    )
    await expect.poll(() => own.bytes).toBe(2_700_000)
    const beyond = new Promise<Error>((resolve) => own.through(megabyte(1), 'four').once('error', resolve))
    expect(await beyond).toMatchObject({ code: 'UNAVAILABLE' })
    for (const reader of held) {
      let read = 0
      for await (const chunk of reader as AsyncIterable<Buffer>) read += chunk.length
      expect(read).toBe(900_000)
    }
    await own.close()
    expect(own.bytes).toBe(0)
  })

  test('holds what was not read yet: a reader that stays behind gets several times its share', async () => {
    const [mebibyte, least, most] = [2 ** 20, 10 * 2 ** 20, 30 * 2 ** 20]
    const own = openSpill({ dir: join(dir, 'behind'), maxBytes: 2 * most, maxBytesPerOwner: 2 * most })
    const whole = 6 * most
    let [made, read, held, wrong] = [0, 0, 0, 0]
    const ahead = async function* () {
      for (; made < whole; made += mebibyte) {
        while (made - read > most) await turn()
        yield Buffer.alloc(mebibyte, made / mebibyte)
      }
    }
    for await (const chunk of own.through(sourceOf(ahead()), 'owner') as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += 4096) if (chunk[at] !== Math.floor((read + at) / mebibyte)) wrong++
      read += chunk.length
      held = Math.max(held, own.bytes)
      while (made < whole && made - read < least) await turn()
    }
    expect([read, wrong]).toEqual([whole, 0])
    expect(held).toBeGreaterThan(least)
    await expect.poll(() => own.bytes).toBe(0)
    await own.close()
  })

  test('writes no file for a reader that waits for every chunk', async () => {
    const source = new Readable({ read: () => undefined })
    const reader = spill.through(sourceOf(source), 'owner')
    for (const chunk of chunks.slice(0, 50)) {
      const arrived = new Promise<Buffer>((resolve) => reader.once('data', resolve))
      // The reader's next wish is made before the next chunk is there.
      await turn()
      source.push(chunk)
      expect((await arrived).equals(chunk)).toBe(true)
      expect(spill.bytes).toBe(0)
    }
    reader.destroy()
    await expect.poll(() => source.destroyed).toBe(true)
  })
})
