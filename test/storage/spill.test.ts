import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSpill, type Spill } from '../../src/storage/spill.ts'

const CHUNKS = 400
const LARGEST_CHUNK_BYTES = 100_000

let dir: string
let spill: Spill
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sonant-spill-'))
  spill = openSpill({ dir, maxBytes: 2 ** 30 })
})
afterAll(async () => {
  await spill.close()
  await rm(dir, { recursive: true, force: true })
})

/** Chunks of many sizes, no two bytes of a neighbourhood alike. */
const chunks = Array.from({ length: CHUNKS }, (_nothing, n) =>
  Buffer.alloc(1 + ((n * 7919) % LARGEST_CHUNK_BYTES), `${n},`),
)

describe('a spill', () => {
  test.each([0, 1, 2, 3, 7, 40])(
    'gives out the same bytes in their order, whatever a reader skips: every %i turns',
    async (pause) => {
      const reader = spill.through(Readable.from(chunks, { objectMode: true }))
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

  test('writes nothing down for a reader who waits for every chunk', async () => {
    const source = new Readable({ read: () => undefined })
    const reader = spill.through(source)
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
