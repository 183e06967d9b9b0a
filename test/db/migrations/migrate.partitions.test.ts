import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { MIGRATIONS, migrationNames } from '../../../src/db/migrations/migration-files.ts'
import { openLog } from '../../../src/values/log.ts'
import { migrationWorkshop } from '../../setup/postgres/migrations.ts'

const PARTITIONED = '20261127190000_partition_jobs'
const log = openLog('silent')
const TABLES = ['job', 'artifact', 'credit_entry'] as const
const PARTS = ['job_first', 'artifact_first', 'credit_entry_default'] as const

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
let role: string
beforeEach(async () => {
  workshop = await migrationWorkshop()
  role = `reader_${process.pid}`
  const before = (await migrationNames(MIGRATIONS)).indexOf(PARTITIONED)
  await migrate(workshop.db, log, { folder: await workshop.write({}, before) })
  await ask(`create role ${role}`)
  await ask(
    `grant select, insert on job, artifact to ${role}; grant all on credit_entry to ${role} with grant option; grant select on job to public`,
  )
  await ask(`grant select (id, output) on artifact to pg_monitor`)
  await ask(`insert into account (id, name) values ('a', 'a')`)
  await ask(`insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, completed_at)
    select 'job_' || n, 'a', 'voice', 'tts', 'completed', '{}', now(), now() from generate_series(1, 100) n`)
  await ask(`insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
    select 'art_' || n, 'job_' || n, 'audio', 'job_' || n || '/audio.wav', 'audio/wav', 1, decode(repeat('00', 32), 'hex'), 10
    from generate_series(1, 100) n`)
  await ask(`insert into credit_entry (account_id, kind, amount, job_id)
    select 'a', 'charge'::credit_kind, -1, 'job_' || n from generate_series(1, 100) n union all select 'a', 'grant', 1000, null`)
})
afterEach(async () => {
  await ask(`drop owned by ${role}; drop role ${role}`)
  await workshop.close()
})

const ask = async (sql: string) => (await workshop.db.pool.query(sql)).rows
const filesOf = async (tables: readonly string[]) =>
  ask(
    `select relfilenode from unnest('{${tables}}'::regclass[]) with ordinality t (oid, n) join pg_class c on c.oid = t.oid order by n`,
  )
const indexFilesOf = async (tables: readonly string[]) =>
  ask(
    `select c.relfilenode from pg_index i join pg_class c on c.oid = i.indexrelid where indrelid = any('{${tables}}'::regclass[]) order by 1`,
  )
const rightsOf = async (tables: readonly string[]) =>
  (
    await ask(
      `select relacl::text as acl from unnest('{${tables}}'::regclass[]) with ordinality t (oid, n) join pg_class c on c.oid = t.oid order by n`,
    )
  ).map(({ acl }) => (acl as string).slice(1, -1).split(',').toSorted())

describe('the migration that partitions jobs', () => {
  test('rewrites no table and no index, and keeps the rights of all roles', async () => {
    const [files, indexFiles, rights] = [await filesOf(TABLES), await indexFilesOf(TABLES), await rightsOf(TABLES)]
    await migrate(workshop.db, log)
    expect(await filesOf(PARTS)).toEqual(files)
    expect(await indexFilesOf(PARTS)).toEqual(expect.arrayContaining(indexFiles))
    expect(await rightsOf(TABLES)).toEqual(rights)
    expect(await rightsOf(PARTS)).toEqual(rights)
    const columns = await ask(
      `select attname::text as name from pg_attribute where attrelid = 'artifact'::regclass and attacl is not null order by 1`,
    )
    expect(columns).toEqual([{ name: 'id' }, { name: 'output' }])
    expect(await ask('select count(*)::int as n, sum(amount)::int as credits from credit_entry')).toEqual([
      { n: 101, credits: 900 },
    ])
  })

  test('is applied by a superuser, or a member of the role that owns the tables, for that role', async () => {
    const owner = `owner_${process.pid}`
    await ask(`create role ${owner}; grant all on schema public to ${owner}`)
    try {
      for (const table of [...TABLES, 'account']) await ask(`alter table ${table} owner to ${owner}`)
      await migrate(workshop.db, log)
      const owners =
        await ask(`select distinct relowner::regrole::text as owner from pg_class where relname = any('{${[...TABLES, ...PARTS]}}')
        and relnamespace = 'public'::regnamespace`)
      expect(owners).toEqual([{ owner }])
    } finally {
      await ask(`reassign owned by ${owner} to current_user; drop owned by ${owner}; drop role ${owner}`)
    }
  })

  test('changes nothing for a program that is connected: what it prepared goes on, and its writes are counted', async () => {
    const older = new Client({ connectionString: workshop.url })
    await older.connect()
    try {
      const insert = (id: string) =>
        older.query({
          name: 'insert',
          text: `insert into job (id, account_id, type, endpoint_key, inputs, created_at) values ($1, 'a', 'voice', 'tts', '{}', now()) returning *`,
          values: [id],
        })
      const end = (id: string) =>
        older.query({
          name: 'end',
          text: `update job set status = 'failed', error_code = 'RENDER_FAILED', completed_at = now() where id = $1 returning id`,
          values: [id],
        })
      const find = (id: string) => older.query({ name: 'find', text: 'select * from job where id = $1', values: [id] })
      for (let n = 0; n < 7; n++) {
        await insert(`job_old_${n}`)
        await end(`job_old_${n}`)
        expect((await find(`job_old_${n}`)).rows).toHaveLength(1)
      }
      await migrate(workshop.db, log)
      expect((await insert('job_new')).rows).toHaveLength(1)
      expect((await end('job_new')).rows).toHaveLength(1)
      expect((await find('job_new')).rows).toHaveLength(1)
      await older.query(`insert into credit_entry (account_id, kind, amount, job_id) values ('a', 'refund', 1, 'job_new')
        on conflict (job_id, kind) do nothing`)
      await older.query(`delete from job where id = 'job_1'`)
      expect(await ask(`select count(*)::int as n from artifact`)).toEqual([{ n: 99 }])
      expect(
        await ask(
          `select status::text, sum(jobs)::int as jobs from job_count group by 1 having sum(jobs) <> 0 order by 1`,
        ),
      ).toEqual([
        { status: 'completed', jobs: 99 },
        { status: 'failed', jobs: 8 },
      ])
    } finally {
      await older.end()
    }
  })
})
