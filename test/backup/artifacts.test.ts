import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyArtifacts } from '../../src/backup/artifacts.ts'

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
