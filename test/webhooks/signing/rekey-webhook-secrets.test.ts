import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../../src/accounts/create-account.ts'
import { readSettings } from '../../../src/context/config.ts'
import { deriveKey } from '../../../src/context/secret-key.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { openVault } from '../../../src/values/secret-vault.ts'
import { readWebhookSecret } from '../../../src/webhooks/signing.ts'
import { rekeyWebhookSecrets, rotateWebhookSecret } from '../../../src/webhooks/webhook.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const [OLD, NEW] = ['o'.repeat(40), 'n'.repeat(40)]
const TIMEOUT_MS = 30_000
/** As src/webhooks/webhook.ts pages them. */
const PAGE = 500
const SECRETS = 1200

const [oldKey, newKey] = [deriveKey(OLD, 'webhook-secrets'), deriveKey(NEW, 'webhook-secrets')]
const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const WRITING = `select pid from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query ilike 'update%webhook_secret%'`

interface Row {
  id: string
  account_id: string
  sealed: Buffer
}

let service: TestRuntime
let env: Record<string, string>
/** A process that was restarted with both keys. */
let renewed: Runtime

beforeAll(async () => {
  service = await startTestRuntime({ env: { SECRET_KEY: OLD } })
  const { databaseUrl } = service.runtime.settings
  const both = { SECRET_KEY: NEW, OLD_SECRET_KEY: OLD }
  env = { DATABASE_URL: databaseUrl ?? '', DATA_DIR: service.dataDir, LOG_LEVEL: 'error', ...both }
  renewed = await openRuntime(readSettings(env), openLog('silent'), { supervise: false })
})
afterAll(async () => {
  endCommands()
  await renewed?.close()
  await service?.close()
})

const sql = <T extends object>(text: string, values: unknown[] = []) =>
  service.runtime.db.pool.query<T>(text, values).then(({ rows }) => rows)
const secrets = () => sql<Row>('select id, account_id, sealed from webhook_secret order by id')
const rekey = () => sonantHere<{ rekeyed: number; current: number; unreadable: number }>(env, 'secrets', 'rekey')
const openAll = (rows: readonly Row[], ...keys: [Uint8Array, ...Uint8Array[]]) => {
  const vault = openVault(keys)
  return rows.map(({ account_id, sealed }) => vault.open(account_id, sealed).toString('base64'))
}
const actingFor = (runtime: Runtime, accountId: string) => runtime.as({ kind: 'account', accountId, credits: 1n })

describe('rekeyWebhookSecrets', () => {
  test('after kill -9 between two secrets every secret opens with either order of the keys, and a second run finishes', async () => {
    const account = await service.createAccount()
    const made = Array.from({ length: SECRETS }, newWebhookSecret)
    const old = openVault([oldKey])
    await sql('insert into webhook_secret (account_id, sealed) select $1, unnest($2::bytea[])', [
      account,
      made.map((secret) => old.seal(account, secret)),
    ])
    const before = await secrets()
    const plain = openAll(before, oldKey)
    const lock = await service.runtime.db.pool.connect()
    await lock.query(BEGIN_HELD)
    await lock.query('select from webhook_secret where id = $1 for update', [before[PAGE + 10]!.id])
    const command = startCommand([process.execPath, 'bin/sonant.js', 'secrets', 'rekey'], env)
    await until(async () => (await sql(WAITING)).length > 0, TIMEOUT_MS, 'a secret of the second page to wait')
    command.kill('SIGKILL')
    await command.ended()
    await lock.query('rollback')
    lock.release()
    // PostgreSQL may still finish the statement that waited when its client was killed.
    await until(async () => (await sql(WRITING)).length === 0, TIMEOUT_MS, 'the statement of the killed command to end')

    const halfway = await secrets()
    const isNew = openVault([newKey])
    const current = halfway.map(({ account_id, sealed }) => isNew.isCurrent(account_id, sealed))
    const done = current.filter(Boolean).length
    expect([PAGE + 10, PAGE + 11]).toContain(done)
    expect(current).toEqual(halfway.map((_, index) => index < done))
    expect(openAll(halfway, newKey, oldKey)).toEqual(plain)
    expect(openAll(halfway, oldKey, newKey)).toEqual(plain)

    expect(await rekey()).toEqual({ rekeyed: halfway.length - done, current: done, unreadable: 0 })
    expect(openAll(await secrets(), newKey)).toEqual(plain)
    expect(await rekey()).toEqual({ rekeyed: 0, current: halfway.length, unreadable: 0 })
  })

  test('rotations during it lose nothing: every account has the secret that it was shown', async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, () => service.createAccount()))
    const rotateAll = () => Promise.all(accounts.map((id) => rotateWebhookSecret(actingFor(renewed, id))))
    await rotateAll()
    const [shown] = await Promise.all([
      rotateAll().then(rotateAll),
      ...Array.from({ length: 3 }, () => rekeyWebhookSecrets(renewed.as({ kind: 'system' }))),
    ])
    for (const [index, account] of accounts.entries()) {
      const rows = (await secrets()).filter((row) => row.account_id === account)
      expect(rows).toHaveLength(2)
      expect(openAll(rows, newKey).at(-1)).toBe(readWebhookSecret(shown[index]!)!.toString('base64'))
    }
  })

  test('what a process that only has the old key seals meanwhile still opens, and the next run finds it', async () => {
    const account = await service.createAccount()
    await rekey()
    const shown = await rotateWebhookSecret(actingFor(service.runtime, account))
    const mine = async () => (await secrets()).filter((row) => row.account_id === account)
    expect(openAll(await mine(), newKey, oldKey).at(-1)).toBe(readWebhookSecret(shown)!.toString('base64'))
    expect(await rekey()).toMatchObject({ rekeyed: 1, unreadable: 0 })
    expect(openAll(await mine(), newKey).at(-1)).toBe(readWebhookSecret(shown)!.toString('base64'))
  })
})
