import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSpill, type Spill } from '../../../src/jobs/export/spill.ts'

const CHUNKS_OF_64_KIB = 8_000
/** V8 frees the memory of chunks only now and then. */
const MOST_BYTES = 128 * 2 ** 20

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

describe('a spill', () => {
  test.each([0, 5])('pours half a gigabyte through little memory, %i turns a chunk', async (pause) => {
    const source = async function* () {
      for (let n = 0; n < CHUNKS_OF_64_KIB; n++) yield Buffer.alloc(65_536, 'x')
    }
    const before = process.memoryUsage().arrayBuffers
    let [bytes, most] = [0, 0]
    const destination = new Writable({
      write: async (chunk: Buffer, _encoding, done) => {
        for (let n = 0; n < pause; n++) await turn()
        bytes += chunk.length
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
        done()
      },
    })
    await pipeline(spill.through({ chunks: source(), destroy: () => undefined }, 'owner'), destination)
    expect(bytes).toBe(CHUNKS_OF_64_KIB * 65_536)
    expect(most).toBeLessThan(MOST_BYTES)
  })
})
