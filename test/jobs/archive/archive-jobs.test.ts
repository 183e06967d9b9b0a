import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { archiveJobs } from '../../../src/jobs/archive/archive-jobs.ts'
import { CSV_HEAD } from '../../../src/jobs/export/export-jobs.ts'
import { keepPartitions } from '../../../src/jobs/partitions/keep-partitions.ts'
import { readPartitions } from '../../../src/jobs/partitions/partitions.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { newId } from '../../../src/values/id.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const ARCHIVE_DAYS = 400
const ENV = { JOB_ARCHIVE_DAYS: String(ARCHIVE_DAYS) }
const DAY_MS = 86_400_000
const FEW_JOBS = 2
/** Types are checked without its native library, of 70 MB. */
const DUCKDB: string = '@duckdb/node-api'

interface DuckDb {
  runAndReadAll(query: string): Promise<{ columnNames(): string[]; getRowObjectsJson(): object[] }>
}

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: ENV })
})
afterAll(() => service.close())

const run = async (sql: string, values: unknown[] = []) => (await service.runtime.db.pool.query(sql, values)).rows
/** A day of a month that is over `ARCHIVE_DAYS` as a whole, `months` before the youngest such one. */
const oldDay = (months: number, day = 10): Date => {
  const cutoff = new Date(service.runtime.now().getTime() - ARCHIVE_DAYS * DAY_MS)
  return new Date(Date.UTC(cutoff.getUTCFullYear(), cutoff.getUTCMonth() - 1 - months, day, 12))
}
const monthOf = (day: Date) => day.toISOString().slice(0, 7)

/** A charged job; a completed one has stored audio. */
async function put(account: string, at: Date, fields: JobFields = {}): Promise<string> {
  const { db, storage } = service.runtime
  const id = await insertJob(db, account, { id: idAt(at), ...fields })
  await run(
    `insert into credit_entry (account_id, kind, amount, job_id, created_at) values ($1, 'charge', -5, $2, $3)`,
    [account, id, at],
  )
  if (fields.status !== undefined) return id
  const key = `${id}/1/audio.wav`
  const { sha256 } = await storage.put(key, Buffer.from(id), { contentType: 'audio/wav' })
  await run(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, created_at)
     values ($1, $2, 'audio', $3, 'audio/wav', $4, $5, 10, $6)`,
    [newId('art', at), id, key, id.length, sha256, at],
  )
  return id
}
const thereOf = async (account: string) =>
  (await run('select id from job where account_id = $1 order by id', [account])).map(({ id }) => id as string)
const env = () => ({ DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir })
const readMonth = async (account: string, month: string) => {
  const { code, stdout, stderr } = await runHere(
    ['archive', 'read', '--account', account, '--month', month, '-o', '-'],
    env(),
  )
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return stdout
}
const idsIn = (csv: string) => csv.match(/^job_\w+/gm) ?? []

describe('the archive', () => {
  test('takes whole months of ended jobs in the columns of an export, and leaves the ledger and all others', async () => {
    const { account, key } = await service.createCaller(1_000n)
    const [first, second] = [oldDay(1), oldDay(0)]
    const gone = [
      await put(account, first, { chatId: '=1+1, "quoted"\r\nsecond line' } as JobFields),
      await put(account, first, { status: 'failed' }),
      await put(account, second),
    ]
    const told = await put(account, second)
    await run(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, next_attempt_at, created_at)
       values ($1, $2, 'job', $3, 'https://example.com', 1, 's', 'b', now() + interval '1 hour', now())`,
      [newId('msg'), account, told],
    )
    const stays = [
      told,
      await put(account, second, { status: 'processing' }),
      await put(account, new Date(service.runtime.now().getTime() - DAY_MS)),
    ]
    const exportOf = async (day: Date) => {
      const [from, to] = [new Date(`${monthOf(day)}-01T00:00:00Z`), new Date(day.getTime() + 5 * DAY_MS)]
      const query = `from=${from.toISOString()}&to=${to.toISOString()}`
      return (await call(`${service.url}/api/v1/jobs/export?${query}`, { key })).text
    }
    const exported = [await exportOf(first), await exportOf(second)]
    const ledger = await run('select * from credit_entry where account_id = $1 order by id', [account])
    await archiveJobs(service.runtime)
    expect(await thereOf(account)).toEqual(stays.toSorted())
    expect(await run('select * from credit_entry where account_id = $1 order by id', [account])).toEqual(ledger)
    expect(await readMonth(account, monthOf(first))).toBe(exported[0])
    expect(idsIn(await readMonth(account, monthOf(second)))).toEqual([gone[2]])
    for (const id of gone) expect(await service.runtime.storage.stat(`${id}/1/audio.wav`)).toBeNull()
    // Once its webhook was given up, the job gets a file of its own.
    await run(`update webhook_delivery set state = 'failed', finished_at = now() where job_id = $1`, [told])
    await archiveJobs(service.runtime)
    expect(idsIn(await readMonth(account, monthOf(second)))).toEqual([gone[2], told])
    expect(exported[1]).toContain(told)
    const { files } = await sonantHere<{ files: object[] }>(env(), 'archive', 'list', '--account', account)
    expect(files).toMatchObject([
      { account_id: account, month: monthOf(first), part: 1, jobs: 2 },
      { account_id: account, month: monthOf(second), part: 1, jobs: 1 },
      { account_id: account, month: monthOf(second), part: 2, jobs: 1 },
    ])
  })

  test('neither loses nor repeats a job, wherever a process ends that writes it', async () => {
    for (let step = 1, isWhole = false; !isWhole; step++) {
      const account = await service.createAccount(1_000n)
      const ids = [await put(account, oldDay(0))]
      while (ids.length <= 2 * FEW_JOBS) ids.push(await put(account, oldDay(0), { status: 'failed' }))
      isWhole = await archiveUntil(step)
      await archiveJobs(service.runtime, FEW_JOBS)
      expect(await thereOf(account)).toEqual([])
      expect(idsIn(await readMonth(account, monthOf(oldDay(0))))).toEqual(ids.toSorted())
    }
  })

  test('deletes no job whose file is not what was written, and goes on with other accounts', async () => {
    const account = await service.createAccount(1_000n)
    const id = await put(account, oldDay(0))
    const other = await service.createAccount(1_000n)
    await put(other, oldDay(0, 11))
    const { storage } = service.runtime
    const losing: Storage = {
      ...storageOf(storage),
      put: (key, content, options) =>
        storage.put(key, content, options).then(async (stored) => {
          if (key.startsWith(`archive/${account}/`)) await storage.put(key, Buffer.from('cut off'), options)
          return stored
        }),
    }
    const named = new RegExp(`the archive archive/${account}/\\S+ is not what was written`)
    await expect(archiveJobs({ ...service.runtime, storage: losing })).rejects.toThrow(named)
    expect(await thereOf(account)).toEqual([id])
    expect(await thereOf(other)).toEqual([])
    const [{ storage_key: key }] = await run('select storage_key from job_archive where account_id = $1', [account])
    await storage.delete(key as string)
    await expect(archiveJobs(service.runtime)).rejects.toThrow(`the archive ${key} is gone`)
    await run('delete from job_archive where account_id = $1', [account])
    await archiveJobs(service.runtime)
    expect(idsIn(await readMonth(account, monthOf(oldDay(0))))).toEqual([id])
  })

  test('leaves one file if a process goes on after it lost its lock', async () => {
    const account = await service.createAccount(1_000n)
    const ids = [await put(account, oldDay(0)), await put(account, oldDay(0))]
    const { storage } = service.runtime
    const losing: Storage = {
      ...storageOf(storage),
      put: async (key, content, options) => {
        await run(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
          and ((classid::bigint << 32) | objid::bigint) = hashtextextended('sonant archive', 0)`)
        await vi.waitFor(() =>
          archiveJobs(service.runtime).then(async () => expect(await thereOf(account)).toEqual([])),
        )
        return storage.put(key, content, options)
      },
    }
    await expect(archiveJobs({ ...service.runtime, storage: losing })).rejects.toThrow('another process archives')
    expect(idsIn(await readMonth(account, monthOf(oldDay(0))))).toEqual(ids.toSorted())
    const kept = await readdir(join(service.dataDir, 'artifacts', 'archive', account))
    const [listed] = await run('select storage_key from job_archive where account_id = $1', [account])
    expect(kept.map((name) => `archive/${account}/${name}`)).toEqual([listed.storage_key])
  })

  test('keeps no transaction open while a slow store takes the end of a file', async () => {
    const account = await service.createAccount(1_000n)
    await put(account, oldDay(0))
    const { storage } = service.runtime
    const open = `select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`
    const slow: Storage = {
      ...storageOf(storage),
      put: async (...given) => {
        const stored = await storage.put(...given)
        await vi.waitFor(async () => expect(await run(open)).toEqual([]), 5_000)
        return stored
      },
    }
    await archiveJobs({ ...service.runtime, storage: slow })
    expect(await thereOf(account)).toEqual([])
  })

  test('empties partitions, which are dropped', async () => {
    const { runtime, ...own } = await startTestRuntime({ env: ENV })
    try {
      const account = await own.createAccount(1_000n)
      const day = oldDay(0)
      await insertJob(runtime.db, account, { id: idAt(day) })
      await runtime.db.pool.query('analyze job')
      await keepPartitions({ ...runtime, now: () => day }, { jobs: 1, days: 0, fewest: 0 })
      const partitions = async () =>
        (await readPartitions(runtime.db.pool)).filter(({ table }) => table === 'job').length
      expect(await partitions()).toBe(2)
      await archiveJobs(runtime)
      await runtime.db.pool.query('analyze job')
      await keepPartitions(runtime)
      expect(await partitions()).toBe(1)
    } finally {
      await own.close()
    }
  })

  test('is read by DuckDB as it is', async () => {
    const account = await service.createAccount(1_000n)
    const ids = [await put(account, oldDay(0)), await put(account, oldDay(1), { status: 'failed' })]
    await archiveJobs(service.runtime)
    const { DuckDBInstance } = await import(DUCKDB)
    const db: DuckDb = await (await DuckDBInstance.create(':memory:')).connect()
    const files = join(service.dataDir, 'artifacts', 'archive', account, '*.csv.gz')
    const { columns, rows } = await rowsOf(db, `from read_csv('${files}') order by created_at`)
    expect(columns.join()).toBe(CSV_HEAD.trim().replace('\ufeff', ''))
    expect(rows).toMatchObject([
      { job_id: ids[1], status: 'failed' },
      { job_id: ids[0], status: 'completed' },
    ])
    const typed = await rowsOf(
      db,
      `select date_trunc('month', created_at)::varchar as month, count(*)::int as jobs, max(duration_ms)::int as longest
      from read_csv('${files}') group by 1 order by 1`,
    )
    expect(typed.rows).toEqual(
      [oldDay(1), oldDay(0)].map((day) => ({ month: expect.stringContaining(monthOf(day)), jobs: 1, longest: 1250 })),
    )
  })

  test('is in a backup', async () => {
    const dir = join(service.dataDir, '..', `backup-${process.pid}`)
    const { audio_files: files } = await sonantHere<{ audio_files: number }>(env(), 'backup', dir)
    const archived = await run('select storage_key from job_archive')
    const audio = await run('select storage_key from artifact where deleted_at is null')
    expect(files).toBe(archived.length + audio.length)
  })
})

async function rowsOf(db: DuckDb, query: string) {
  const reader = await db.runAndReadAll(query)
  return { columns: reader.columnNames(), rows: reader.getRowObjectsJson() }
}

const storageOf = (storage: Storage): Storage => ({
  put: (...given) => storage.put(...given),
  stat: (...given) => storage.stat(...given),
  read: (...given) => storage.read(...given),
  signUrl: (...given) => storage.signUrl(...given),
  delete: (...given) => storage.delete(...given),
  deleteBelow: (...given) => storage.deleteBelow(...given),
  probe: (...given) => storage.probe(...given),
})

/** Ends before or after a step at the store, and writes nothing more. Returns whether it came to the end before that. */
async function archiveUntil(step: number): Promise<boolean> {
  let steps = 0
  const ending =
    <Given extends unknown[], Result>(act: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (++steps >= step) throw new Error('ended')
      const result = await act(...given)
      if (++steps >= step) throw new Error('ended')
      return result
    }
  const whole = storageOf(service.runtime.storage)
  const storage: Storage = {
    ...whole,
    ...{ put: ending(whole.put), read: ending(whole.read) },
    ...{ delete: ending(whole.delete), deleteBelow: ending(whole.deleteBelow) },
  }
  return archiveJobs({ ...service.runtime, storage }, FEW_JOBS).then(
    () => true,
    () => false,
  )
}
