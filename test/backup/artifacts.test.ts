import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepArtifacts, verifyArtifacts } from '../../src/backup/artifacts.ts'
import type { Storage } from '../../src/storage/storage.ts'

const LIST = 'artifacts.ndjson.gz'
const ONE = { key: 'job_1/1/audio.wav', contentType: 'audio/wav', sha256: 'a'.repeat(64), bytes: 1 }

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
})
afterEach(() => rm(dir, { recursive: true }))

const verify = () => verifyArtifacts(dir, { gone: [], files: 0, bytes: 0, list: { path: LIST, bytes: 0, sha256: '' } })

describe("a backup's list of audio is rejected with the reason where it", () => {
  test.each([
    ['is not there', () => undefined, 'ENOENT'],
    ['cannot be read', () => mkdir(join(dir, LIST)), 'EISDIR'],
    ['is no gzip', () => writeFile(join(dir, LIST), 'no gzip'), 'Z_DATA_ERROR'],
    ['ends too early', () => writeFile(join(dir, LIST), gzipSync(JSON.stringify(ONE)).subarray(0, -9)), 'Z_BUF_ERROR'],
  ])('%s', async (_what, make, code) => {
    await make()
    await expect(verify()).rejects.toMatchObject({ code })
  })
})

test('a file that the list names and that is missing is named', async () => {
  await writeFile(join(dir, LIST), gzipSync(`${JSON.stringify(ONE)}\n`))
  await expect(verify()).rejects.toThrow(/artifacts\/job_1\/1\/audio\.wav is missing/)
})

test('audio is copied a third of the time: what a store takes 20 ms for is followed by a rest of 40 ms', async () => {
  const sha256 = createHash('sha256').update('x').digest('hex')
  const files = Array.from({ length: 24 }, (_, at) => ({ ...ONE, key: `job_${at}/1/audio.wav`, sha256 }))
  await writeFile(join(dir, LIST), gzipSync(files.map((file) => `${JSON.stringify(file)}\n`).join('')))
  const answers: number[] = []
  const read = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    answers.push(performance.now())
    return Readable.from(['x'])
  }
  const kept = await keepArtifacts({ db: { pool: {} as never }, storage: { read } as unknown as Storage }, dir, {
    path: LIST,
    bytes: 0,
    sha256: '',
  })
  expect(kept).toMatchObject({ files: 24, bytes: 24, gone: [] })
  // From the last of a batch to the first of the next one: that takes 20 ms itself.
  const gaps = [8, 16].map((first) => answers[first]! - answers[first - 1]!)
  for (const gap of gaps) expect(gap).toBeGreaterThan(55)
})
