import { randomBytes } from 'node:crypto'
import { Client, escapeIdentifier } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { grantData, revokeData } from '../../src/accounts/data-access.ts'
import { newId } from '../../src/values/id.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

/** A column is only added, at the end: what is here was released. */
const COLUMNS = {
  api_keys: 'api_key_id account_id name scopes created_at expires_at last_used_at',
  jobs: 'job_id account_id type endpoint_key status error_code is_prohibited api_key_id voice language tags cost attempts characters audio_ms created_at started_at completed_at wait_ms run_ms duration_ms changed_at',
  ledger: 'entry_id account_id kind amount balance job_id api_key_id endpoint_key created_at position',
  usage_daily: 'account_id day endpoint_key api_key_id type status jobs credits characters audio_seconds',
}
const VIEWS = Object.keys(COLUMNS)

let service: TestRuntime
let one: string
let other: string
const made: string[] = []
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  ;[one, other] = [await service.createAccount(), await service.createAccount()]
  for (const account of [one, other]) {
    await service.createKey(account)
    const job = await insertJob(service.runtime.db, account, { cost: '5' })
    await run(`insert into credit_entry (account_id, kind, amount, job_id) values ($1, 'charge', -5, $2)`, [
      account,
      job,
    ])
    await run('update account set credits = credits - 5 where id = $1', [account])
  }
})
afterEach(async () => {
  for (const role of made.splice(0)) await revokeData(operator(), { role }).catch(() => undefined)
})
afterAll(() => service?.close())

const operator = () => service.runtime.as({ kind: 'system' })
const run = (sql: string, values: unknown[] = []) => service.runtime.db.pool.query(sql, values)

/** Roles are of the whole cluster, which other tests use as well. */
function newRole(): string {
  const role = `test_reader_${randomBytes(6).toString('hex')}`
  made.push(role)
  return role
}

async function grant(account?: string) {
  const role = newRole()
  const granted = await grantData(operator(), { role, account })
  return { ...granted, password: granted.password as string }
}

async function as<T>(
  { url, password }: { url: string; password: string },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const target = new URL(url)
  target.password = password
  const client = new Client({ connectionString: target.href })
  await client.connect()
  return work(client).finally(() => client.end())
}

const accountsIn = async (client: Client, view: string) =>
  (await client.query(`select distinct account_id from ${view} order by 1`)).rows.map(({ account_id }) => account_id)

describe('sonant_v1', () => {
  test('has the columns that were released, each with a comment', async () => {
    const { rows } = await run(
      `select c.relname as view, string_agg(a.attname, ' ' order by a.attnum) as columns, bool_and(col_description(c.oid, a.attnum) is not null) as described,
         obj_description(c.oid) is not null as "isDescribed", 'security_barrier=true' = any(c.reloptions) or 'security_barrier' = any(c.reloptions) as barrier
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relnamespace = 'sonant_v1'::regnamespace group by c.oid, c.relname, c.reloptions order by 1`,
    )
    expect(Object.fromEntries(rows.map(({ view, columns }) => [view, columns]))).toEqual(COLUMNS)
    for (const row of rows) expect(row).toMatchObject({ described: true, isDescribed: true, barrier: true })
  })

  test('shows a role of all accounts every account, with the balances of the ledger', async () => {
    await as(await grant(), async (client) => {
      for (const view of VIEWS) expect(await accountsIn(client, view)).toEqual([one, other])
      const { rows } = await client.query(
        'select distinct on (account_id) account_id, balance from ledger order by account_id, position desc',
      )
      const { rows: accounts } = await run('select id as account_id, credits as balance from account order by id')
      expect(rows).toEqual(accounts)
      const { rows: usage } = await client.query('select account_id, jobs, credits from usage_daily order by 1')
      expect(usage).toEqual([one, other].map((account_id) => ({ account_id, jobs: '1', credits: '5' })))
    })
  })

  test('numbers the entries of each account in the order of its ledger, also those of one time', async () => {
    await run(
      `insert into credit_entry (account_id, kind, amount, job_id, created_at) select $1, 'charge', -n, id, '2026-03-01T00:00:00Z'
       from unnest($2::text[]) with ordinality as charged (id, n) order by n`,
      [other, [newId('job'), newId('job'), newId('job')]],
    )
    await run('update account set credits = credits - 6 where id = $1', [other])
    await as(await grant(other), async (client) => {
      const sql = `select position, amount, balance - lag(balance, 1, 0::bigint) over (order by position) as step from ledger order by position`
      const { rows } = await client.query(sql)
      expect(rows.map(({ position }) => position)).toEqual(rows.map((_row, at) => String(at + 1)))
      expect(rows.slice(-3).map(({ amount }) => amount)).toEqual(['-1', '-2', '-3'])
      for (const { amount, step } of rows) expect(step).toBe(amount)
    })
  })

  test('shows a role of one account that one alone, also as another role', async () => {
    await as(await grant(one), async (client) => {
      for (const view of VIEWS) expect(await accountsIn(client, view)).toEqual([one])
      const { rows } = await run('select current_user as owner')
      await expect(client.query(`set role ${escapeIdentifier(rows[0].owner)}`)).rejects.toThrow(/permission denied/)
      await expect(client.query(`set session authorization ${escapeIdentifier(rows[0].owner)}`)).rejects.toThrow(
        /permission denied/,
      )
    })
  })
})

describe('data grant', () => {
  test('makes a role that reads the four views and nothing else, and writes nothing', async () => {
    const granted = await grant(one)
    await as(granted, async (client) => {
      const { rows } = await client.query(
        `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
           and case c.relkind when 'S' then has_sequence_privilege(c.oid, 'usage, select, update')
             else has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger') or has_any_column_privilege(c.oid, 'select, insert, update') end order by 1`,
      )
      expect(rows.map(({ name }) => name)).toEqual(VIEWS)
      for (const sql of [
        'select hash from public.api_key',
        'select cause from public.job',
        'select role from public.data_grant',
        'select from pgboss.job',
        'insert into ledger (kind) values (1)',
        'create table mine (id int)',
        'create schema mine',
        `select public.refuse_late_job('${one}', now())`,
        `select public.claim_queued('voice', 1, '', '', '{}'::jsonb)`,
        'create role mine',
        "copy (select 1) to program 'true'",
        "select pg_read_file('/etc/passwd')",
      ])
        await expect(client.query(sql), sql).rejects.toThrow()
      const { rows: writing } = await client.query(
        `select has_schema_privilege('public', 'create') as a, has_schema_privilege('sonant_v1', 'create') as b, has_schema_privilege('pgboss', 'usage') as c`,
      )
      expect(writing).toEqual([{ a: false, b: false, c: false }])
    })
  })

  test('gives a limit of connections and of time, reads by default, and a password that PostgreSQL keeps as SCRAM', async () => {
    const { role, password, ...target } = await grant()
    await as({ ...target, password }, async (client) => {
      const { rows } = await client.query(
        `select current_setting('statement_timeout') as timeout, current_setting('default_transaction_read_only') as read, current_setting('search_path') as path`,
      )
      expect(rows).toEqual([{ timeout: '1min', read: 'on', path: 'sonant_v1' }])
    })
    const { rows } = await run(
      `select rolconnlimit, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolinherit,
         (select rolpassword from pg_authid a where a.rolname = r.rolname) ~ '^SCRAM-SHA-256[$]4096:' as scram from pg_roles r where rolname = $1`,
      [role],
    )
    const no = { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false }
    expect(rows).toEqual([{ rolconnlimit: 5, ...no, rolinherit: false, scram: true }])
  })

  test('changes what a role sees and keeps its password, unless it is to have a new one', async () => {
    const first = await grant(one)
    const changed = await grantData(operator(), { role: first.role, account: other })
    expect([changed.password, changed.accountId]).toEqual([null, other])
    await as(first, async (client) => expect(await accountsIn(client, 'jobs')).toEqual([other]))
    const { password } = await grantData(operator(), { role: first.role, newPassword: true })
    expect(password).not.toBe(first.password)
    await as({ ...first, password: password as string }, async (client) =>
      expect(await accountsIn(client, 'jobs')).toEqual([one, other]),
    )
  })

  test('refuses names that are none, roles of others, unknown accounts, and callers other than the command line', async () => {
    const { rows } = await run('select current_user as role')
    for (const role of ['', 'a b', 'Reader', 'pg_reader', 'postgres', 'public', 'a"; drop table job', rows[0].role])
      await expect(grantData(operator(), { role }), role).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(grantData(operator(), { role: newRole(), account: 'nobody' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    const owner = service.runtime.as({ kind: 'account', accountId: one, credits: 0n })
    await expect(grantData(owner, { role: newRole() })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

test('the command prints how to connect and the password once, as text and as JSON', async () => {
  const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
  const role = newRole()
  const granted = await sonantHere<{ password: string; url: string }>(env, 'data', 'grant', role, '--account', one)
  expect(granted).toMatchObject({ role, account_id: one, url: expect.stringContaining(`//${role}@`) })
  await as(granted, async (client) => expect(await accountsIn(client, 'jobs')).toEqual([one]))
  const { stdout } = await runHere(['data', 'grant', role], env)
  const hint =
    'It is for your own data team: like every role it can hear ids of all accounts as their jobs change. Give tenants a key for /api/v1/data.'
  expect(stdout).toBe(
    `${role} reads sonant_v1 of all accounts: psql "${granted.url}"\nIt keeps its password.\n${hint}\n`,
  )
  expect(await sonantHere(env, 'data', 'revoke', role)).toEqual({ role, revoked: true, remains: [] })
})

test('data revoke drops the role, and no role that data grant has not made', async () => {
  const { role } = await grant()
  expect(await revokeData(operator(), { role })).toEqual({ role, remains: [] })
  expect((await run('select from pg_roles where rolname = $1', [role])).rowCount).toBe(0)
  await expect(revokeData(operator(), { role })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(revokeData(operator(), { role: 'pg_monitor' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('data revoke ends access also of a role that PostgreSQL does not drop, says why, and may be repeated', async () => {
  const granted = await grant()
  const { role } = granted
  const name = escapeIdentifier(role)
  await as(granted, async (client) => {
    const hasEnded = new Promise<void>((resolve) => client.once('end', () => resolve()).on('error', () => undefined))
    await client.query('set default_transaction_read_only = off')
    await client.query('select lo_create(0)')
    await client.query('create temporary table own (id int)')
    const { remains } = await revokeData(operator(), { role })
    expect(remains).toEqual([expect.stringMatching(/^owner of large object \d+$/)])
    await hasEnded
  })
  await expect(as(granted, async () => undefined)).rejects.toThrow(/not permitted to log in/)
  const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
  const { stdout } = await runHere(['data', 'revoke', role], env)
  expect(stdout).toContain(`${role} reads nothing any more and cannot log in. PostgreSQL keeps it because of: owner of`)
  expect((await run('select account_id from data_grant where role = $1', [role])).rows).toEqual([{ account_id: '' }])
  await run(`drop owned by ${name}`)
  expect(await revokeData(operator(), { role })).toEqual({ role, remains: [] })
  expect((await run('select from pg_roles where rolname = $1', [role])).rowCount).toBe(0)
  await expect(revokeData(operator(), { role })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
