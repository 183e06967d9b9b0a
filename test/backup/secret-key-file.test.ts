import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import { loadSecretKey, openWebhookVault } from '../../src/context/secret-key.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const OTHER = 'another key, of thirty-two letters'
const LOST = 'a key that is lost, of 32 letters.'
let service: TestRuntime
let secret: string
let dir: string
beforeAll(async () => {
  service = await startTestRuntime()
  secret = loadSecretKey(null, service.dataDir)
  dir = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
  const account = await service.createAccount()
  const seal = (by: string) => openWebhookVault(by, null).seal(account, Buffer.alloc(32))
  // Some were lost with their key.
  for (const sealed of [seal(LOST), seal(secret), seal(LOST)]) {
    await service.runtime.db.pool.query('insert into webhook_secret (account_id, sealed) values ($1, $2)', [
      account,
      sealed,
    ])
  }
})
afterAll(async () => {
  await service.close()
  await rm(dir, { recursive: true })
})

const backUpWith = (name: string, settings: object) =>
  backUp({ ...service.runtime, settings: { ...service.runtime.settings, ...settings } }, join(dir, name))

test('a backup with a key that a command made elsewhere is refused, and writes nothing', async () => {
  const elsewhere = join(dir, 'elsewhere')
  await mkdir(elsewhere)
  loadSecretKey(null, elsewhere)
  await expect(backUpWith('wrong-file', { dataDir: elsewhere })).rejects.toThrow(
    `The key in ${elsewhere}/secret.key does not open the service's webhook secrets: set SECRET_KEY to what the service uses, or DATA_DIR`,
  )
  await expect(backUpWith('wrong-key', { secretKey: OTHER })).rejects.toThrow(
    "SECRET_KEY does not open the service's webhook secrets: set SECRET_KEY to what the service uses. If that key is lost, rotate a webhook secret first.",
  )
  expect(await readdir(dir)).toEqual(['elsewhere'])
})

test('a backup is made with the key from its file or the environment, and before "secrets rekey" with the old one', async () => {
  expect((await backUpWith('file', {})).secretKey.file?.path).toBe('secret.key')
  expect((await backUpWith('key', { secretKey: secret })).secretKey.file).toBeNull()
  expect((await backUpWith('both', { secretKey: OTHER, oldSecretKey: secret })).secretKey.file).toBeNull()
})
