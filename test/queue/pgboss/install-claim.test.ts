import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { installClaim } from '../../../src/queue/pgboss/boss.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'

const SIGNATURE = 'claim_queued(text, integer, text, text, jsonb)'
/** As a migration left it: a body of its own, and no comment. */
const OTHER = `
  create or replace function claim_queued(queue text, free integer, after_account text, worker_id text, rooms jsonb)
  returns table (id uuid, retry_count integer, job_id text, account_id text, server text)
  language sql as $$ select null::uuid, 0, '', '', '' $$;
  comment on function ${SIGNATURE} is null`

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.url, openLog('silent'))
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(() => db.pool.query(OTHER))

const installed = async () => {
  const { rows } = await db.pool.query<{ body: string; comment: string | null; written: string }>(
    `select prosrc as body, obj_description(oid, 'pg_proc') as comment, xmin::text as written
     from pg_proc where oid = '${SIGNATURE}'::regprocedure`,
  )
  return rows[0]!
}

const source = () => readFile(new URL('../../../src/queue/pgboss/claim_queued.sql', import.meta.url), 'utf8')

/** The newest revision: a change of the text takes the next number, or older processes would put theirs back during an upgrade. */
const NEWEST = 'revision 13, sha256 3ff1c046f7bb973ba7ecccf8a72dffde9c368cf759a53b54362357ffd8c6196f'

describe('installClaim', () => {
  test('a database of an earlier version gets the text of the source file', async () => {
    await installClaim(db)
    const { body, comment } = await installed()
    expect(await source()).toContain(`$$${body}$$`)
    expect(comment).toBe(NEWEST)
  })

  test('what is installed already is not written again', async () => {
    await installClaim(db)
    const before = await installed()
    await installClaim(db)
    expect(await installed()).toEqual(before)
  })

  test('another text of the same or an earlier revision is replaced', async () => {
    await db.pool.query(`comment on function ${SIGNATURE} is 'revision 1, sha256 ${'0'.repeat(64)}'`)
    await installClaim(db)
    expect(await source()).toContain(`$$${(await installed()).body}$$`)
  })

  test('the function of a newer program is left in place', async () => {
    await db.pool.query(`comment on function ${SIGNATURE} is 'revision 999, sha256 ${'0'.repeat(64)}'`)
    const before = await installed()
    await installClaim(db)
    expect(await installed()).toEqual(before)
  })

  test('of many at once one writes, and all go on', async () => {
    const others = [1, 2, 3].map(() => openDatabase(database.url, openLog('silent')))
    await Promise.all([db, ...others].map(installClaim))
    await Promise.all(others.map((other) => other.close()))
    expect(await source()).toContain(`$$${(await installed()).body}$$`)
  })

  test('a role that may not replace it reads in one sentence which role may', async () => {
    const role = `claims_${process.pid}`
    await db.pool.query(`create role ${role} login password 'secret'`)
    const url = new URL(database.url)
    Object.assign(url, { username: role, password: 'secret' })
    const limited = openDatabase(url.href, openLog('silent'))
    await expect(installClaim(limited)).rejects.toThrow(
      'Start once with the role that owns the database function claim_queued: the present role may not replace it.',
    )
    await limited.close()
    await db.pool.query(`drop role ${role}`)
  })
})
