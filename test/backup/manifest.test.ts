import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readManifest } from '../../src/backup/manifest.ts'

const WHOLE = {
  format: 1,
  version: '0.1.0',
  madeAt: '2026-11-26T00:00:00.000Z',
  migrations: [],
  tables: [],
  partitions: [],
  sequences: [],
  artifacts: { files: 0, bytes: 0, gone: [], list: { path: 'artifacts', bytes: 0, sha256: '0'.repeat(64) } },
  secretKey: { file: null, fingerprint: 'x' },
}

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sonant-manifest-'))
})
afterAll(() => rm(dir, { recursive: true }))

const read = async (content: string) => {
  await writeFile(join(dir, 'backup.json'), content)
  return readManifest(dir)
}

test('a manifest is read as it was written', async () => {
  expect(await read(JSON.stringify(WHOLE))).toEqual(WHOLE)
})

test.each([
  ['{"format":1,"madeAt":"x"}', 'version is required'],
  [JSON.stringify({ ...WHOLE, madeAt: 'x' }), 'madeAt is not valid'],
  [JSON.stringify({ ...WHOLE, migrations: 'none' }), 'migrations must be a list'],
  [
    JSON.stringify({ ...WHOLE, artifacts: { ...WHOLE.artifacts, files: 0.5 } }),
    'artifacts.files must be a whole number',
  ],
  [JSON.stringify({ ...WHOLE, format: 2 }), 'format is not 1: restore it with the version that made it'],
  ['{', 'it must be a mapping'],
])('a manifest %s is refused by the words that every file is', async (content, violation) => {
  await expect(read(content)).rejects.toThrow(`${join(dir, 'backup.json')} cannot be read: ${violation}.`)
})
