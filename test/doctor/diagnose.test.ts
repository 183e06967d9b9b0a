import { chmod, chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Servers } from '../../src/db/connections/servers.ts'
import { openNotifier } from '../../src/db/postgres-notifier.ts'
import { diagnose } from '../../src/doctor/diagnose.ts'
import type { ServiceContext } from '../../src/runtime/services.ts'
import { newId } from '../../src/values/id.ts'
import { openLog } from '../../src/values/log.ts'
import { setWebhookUrl } from '../../src/webhooks/webhook.ts'
import { complaintsOf } from '../setup/checks/complaints.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { createTestDatabase } from '../setup/postgres/database.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
let ctx: ServiceContext
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  ctx = service.runtime.as({ kind: 'system' })
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => service.close())

const run = (sql: string, values: unknown[] = []) => ctx.db.pool.query(sql, values)
const complaints = (on: Partial<ServiceContext> = {}) => complaintsOf({ ...ctx, ...on })

describe('diagnose', () => {
  test('finds nothing wrong with a new installation but a PostgreSQL that may lose what it confirmed', async () => {
    const findings = await diagnose(ctx)
    expect(findings.filter(({ severity }) => severity !== 'ok')).toEqual([
      { check: 'PostgreSQL', severity: 'error', found: 'fsync is off', remedy: 'set fsync = on' },
    ])
    expect(findings.map(({ check }) => check)).toEqual([
      ...['PostgreSQL', 'connections', 'timeouts', 'notifications', 'indexes', 'vacuum', 'partitions', 'clock'],
      ...[
        'PUBLIC_URL',
        'SECRET_KEY',
        'storage',
        'DATA_DIR',
        'engines',
        'workers',
        'records',
        'audio',
        'retention',
        'backup',
      ],
    ])
  })

  test('names a pool whose jobs wait for a worker, and how to start one', async () => {
    const { key } = await service.createCaller()
    const jobId = await submitText(service.url, key, 'tts', 'Is anybody there?', 'aria')
    expect(await complaints()).toEqual([
      expect.stringMatching(
        /^workers error: 1 jobs wait for espeak, for up to \d+ s, .* npx sonant work --pools espeak$/,
      ),
    ])
    await run(`delete from pgboss.job where data->>'jobId' = $1`, [jobId])
    await run(`update job set created_at = now() - interval '2 minutes' where id = $1`, [jobId])
    expect(await complaints()).toEqual([expect.stringMatching(/^records warning: 1 unfinished jobs are in no queue/)])
    await run(`update job set status = 'failed', completed_at = now(), error_code = 'QUEUE_FAILED' where id = $1`, [
      jobId,
    ])
  })

  test('finds a graphics card whose driver does not answer, and says when workers were heard of', async () => {
    const card = { name: 'NVIDIA L4', memory_mib: 23_034, memory_used_mib: 512, load_percent: 3 }
    const none = { ...card, memory_used_mib: null, load_percent: null }
    let gpus: object[] = [card]
    const beat = (): Promise<unknown> =>
      run(
        `insert into worker (id, host, version, slots, in_flight, gpus, heartbeat_at) values ('wrk_gpu', 'gpu-1', '1', 1, 0, $1, now())
         on conflict (id) do update set gpus = $1, heartbeat_at = now()`,
        [JSON.stringify(gpus)],
      )
    // As a worker does: on a busy machine doctor asks other questions for longer than a worker may be silent.
    let beaten = beat()
    const beating = setInterval(() => {
      beaten = beaten.then(beat)
    }, 500)
    onTestFinished(() => clearInterval(beating))
    await beaten
    const found = (await diagnose(ctx)).find(({ check }) => check === 'workers')
    expect([found?.severity, found?.found]).toEqual([
      'ok',
      expect.stringMatching(/^1 alive, heard of within \d\.\d s, one graphics card; every pool/),
    ])
    // As older programs note them.
    gpus = [{ name: 'NVIDIA L4', memory_mib: 23_034 }]
    await beat()
    expect(await complaints()).toEqual([])
    gpus = [card, none]
    await beat()
    expect(await complaints()).toEqual([
      'workers warning: the graphics card NVIDIA L4 of gpu-1 does not answer. run nvidia-smi there: its driver may have to be loaded anew',
    ])
    clearInterval(beating)
    await beaten
    await run(`delete from worker where id = 'wrk_gpu'`)
  })

  test('finds credits that are not the sum of their ledger, and a completed job without its audio', async () => {
    const { account } = await service.createCaller()
    const silent = await insertJob(ctx.db, account, { status: 'completed' })
    await run('delete from artifact where job_id = $1', [silent])
    await run('update account set credits = credits + 1 where id = $1', [account])
    expect(await complaints()).toEqual([
      expect.stringMatching(`records error: the credits of ${account} are not the sum of its ledger`),
      expect.stringMatching(`records error: ${silent} is completed and has no audio`),
    ])
    await run('delete from job where id = $1', [silent])
    await run('update account set credits = credits - 1 where id = $1', [account])
  })

  test('finds audio that is missing, cut short or changed in the store, but none that was deleted on purpose', async () => {
    const { account } = await service.createCaller()
    const job = await insertJob(ctx.db, account, { status: 'completed' })
    const keys = ['missing', 'short', 'changed', 'deleted', 'whole'].map((name) => `${job}/1/${name}.wav`)
    const [missing, short, changed] = keys as [string, string, string]
    const { bytes, sha256 } = await ctx.storage.put(missing, Buffer.from('speech'), { contentType: 'audio/wav' })
    await ctx.storage.delete(missing)
    for (const key of [changed, keys[4]!])
      await ctx.storage.put(key, Buffer.from(key === changed ? 'noises' : 'speech'), { contentType: 'audio/wav' })
    await ctx.storage.put(short, Buffer.from('spe'), { contentType: 'audio/wav' })
    for (const [at, key] of keys.entries())
      await run(
        `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, deleted_at)
          values ($1, $2, $1, $3, 'audio/wav', $4, $5, $6)`,
        [newId('art'), job, key, bytes, sha256, at === 3 ? new Date() : null],
      )
    const [complaint, ...others] = await complaints()
    expect(others).toEqual([])
    expect(complaint).toMatch(/^audio error: 3 of 4 sampled files: /)
    expect(complaint).toContain(`${missing} is missing`)
    expect(complaint).toContain(`${short} has 3 bytes in place of 6`)
    expect(complaint).toContain(`${changed} has another checksum than its row`)
    await run('delete from job where id = $1', [job])
  })

  test('finds secrets that the key does not open', async () => {
    const { account } = await service.createCaller()
    await setWebhookUrl(service.runtime.as({ kind: 'account', accountId: account, credits: 1n }), {
      url: 'https://example.com/hook',
    })
    const before = await run('select sealed from webhook_secret where account_id = $1', [account])
    await run('update webhook_secret set sealed = $2 where account_id = $1', [account, Buffer.alloc(64)])
    expect(await complaints()).toEqual([
      expect.stringMatching(/^SECRET_KEY error: 1 of \d+ secrets of webhooks and servers do not open/),
    ])
    await run('update webhook_secret set sealed = $2 where account_id = $1', [account, before.rows[0].sealed])
  })

  test('finds a store that is away, a key that others may read, a clock that is wrong and a backup that is missed', async () => {
    const file = join(service.dataDir, 'secret.key')
    await writeFile(file, 'x'.repeat(40), { flag: 'a' })
    await chmod(file, 0o644)
    await run(`update installation set created_at = now() - interval '8 days'`)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    const storage = { ...ctx.storage, probe: () => Promise.reject(new Error('S3 cannot be reached.')) }
    expect(await complaints({ storage })).toEqual([
      expect.stringMatching(/^clock error: 7\d\d\d\.\d s from the database's/),
      expect.stringMatching(/^storage error: reach: S3 cannot be reached\./),
      expect.stringMatching(/^DATA_DIR error: .*secret\.key is open to other users \(mode 644\)\. chmod 600/),
      expect.stringMatching(/^backup warning: none since the installation, 8 days ago/),
    ])
    await chmod(file, 0o600)
    await run('update installation set created_at = now()')
  })

  test('finds a data directory that others may write to', async () => {
    const { mode } = await stat(service.dataDir)
    await chmod(service.dataDir, 0o757)
    const found = await complaints()
    await chmod(service.dataDir, mode)
    expect(found).toEqual([
      `DATA_DIR error: other users may write to ${service.dataDir} (mode 757). chmod o-w ${service.dataDir}`,
    ])
  })

  test.skipIf(process.getuid?.() !== 0)('finds a data directory of another user', async () => {
    await chown(service.dataDir, 12_345, 0)
    const found = await complaints()
    await chown(service.dataDir, 0, 0)
    expect(found).toEqual([
      expect.stringMatching(/^DATA_DIR warning: .* belongs to user 12345, and this process is user 0\./),
    ])
  })

  test('finds that no notification arrives where the pool leads to another server than the connection that listens', async () => {
    const other = await createTestDatabase()
    const notifier = await openNotifier(new Servers([other.url]), openLog('silent'))
    const found = await complaints({ notifier })
    await notifier.close()
    await other.drop()
    expect(found).toEqual([
      expect.stringMatching(/^notifications error: one did not arrive within 5 s\. let DIRECT_DATABASE_URL/),
    ])
  })

  test('finds limits of time that break off what takes long, and an index that was not finished', async () => {
    const limited = new URL(ctx.db.url)
    limited.searchParams.set('options', '-c statement_timeout=1000 -c transaction_timeout=2000')
    const pool = new pg.Pool({ connectionString: limited.href })
    await run('update pg_index set indisvalid = false where indexrelid = any($1::regclass[])', [
      ['webhook_secret_account_id_id_idx', 'pgboss.version_pkey'],
    ])
    const found = await complaints({ db: { ...ctx.db, pool } })
    await pool.end()
    expect(found).toEqual([
      expect.stringMatching(/^timeouts warning: statement_timeout is 1000 ms for this role/),
      expect.stringMatching(/^timeouts warning: transaction_timeout is 2000 ms for this role/),
      'indexes error: pgboss.version_pkey is invalid. REINDEX INDEX CONCURRENTLY pgboss.version_pkey',
      expect.stringMatching(/^indexes error: webhook_secret_account_id_id_idx is invalid\. REINDEX/),
    ])
    for (const [remedy] of found.flatMap((line) => [...line.matchAll(/REINDEX .*$/g)])) await run(remedy)
    expect(await complaints()).toEqual([])
  })

  test.each([
    ['a backup, process 7', true, 'let it end: until then it keeps dead rows'],
    ['a transaction of report, process 7', false, 'end it: it keeps dead rows'],
  ])('finds %s that is open for hours', async (what, isBackup, remedy) => {
    const query = (text: unknown, ...rest: never[]) =>
      String(text).includes('pg_prepared_xacts')
        ? Promise.resolve({ rows: [{ what, seconds: 7_200, isBackup }] })
        : (ctx.db.pool.query as (...args: unknown[]) => unknown)(text, ...rest)
    const pool = Object.assign(Object.create(ctx.db.pool), { query })
    expect(await complaints({ db: { ...ctx.db, pool } })).toEqual([
      `vacuum warning: ${what} has been open for 120 minutes. ${remedy}`,
    ])
  })

  test('counts the processes that listen, whatever their role, to see whether all of them find their connections', async () => {
    const log = openLog('silent')
    const others = await Promise.all([1, 2, 3].map(() => openNotifier(ctx.db.direct, log)))
    const { rows } = await run('select current_setting($1)::int - current_setting($2)::int as most', [
      'max_connections',
      'superuser_reserved_connections',
    ])
    const settings = { ...ctx.settings, databasePoolSize: Math.floor(rows[0].most / 4) + 1 }
    const found = await complaints({ settings })
    await Promise.all(others.map((notifier) => notifier.close()))
    expect(found).toEqual([
      expect.stringMatching(
        /^connections error: 4 processes, this one and 0 with a worker among them, may take \d+ of/,
      ),
    ])
  })

  test('goes on where engines cannot be opened', async () => {
    const fail = (): never => {
      throw new Error('no such module')
    }
    const settings = Object.defineProperty({ ...ctx.settings }, 'lookUp', { get: fail })
    const findings = await diagnose({ ...ctx, settings })
    expect(findings.filter(({ check }) => check === 'engines')).toEqual([
      {
        check: 'engines',
        severity: 'error',
        found: 'could not be checked (Error: no such module)',
        remedy: 'correct what the error says, and check again',
      },
    ])
    expect(findings.at(-1)?.check).toBe('backup')
  })

  test('goes on behind a check that fails itself', async () => {
    const query = (text: unknown, ...rest: never[]) =>
      String(text).includes('from webhook_secret')
        ? Promise.reject(new Error('no such table'))
        : (ctx.db.pool.query as (...args: unknown[]) => unknown)(text, ...rest)
    const pool = Object.assign(Object.create(ctx.db.pool), { query })
    expect(await complaints({ db: { ...ctx.db, pool } })).toEqual([
      expect.stringMatching(/^SECRET_KEY error: could not be checked/),
    ])
  })
})
