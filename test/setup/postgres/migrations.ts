import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { MIGRATIONS } from '../../../src/db/migrations/migration-files.ts'
import { openLog } from '../../../src/values/log.ts'

let databases = 0

/** An empty database and folders of migrations of a test's own; `close` removes all of them. */
export async function migrationWorkshop() {
  const admin = new Client({ connectionString: inject('databaseUrl') })
  await admin.connect()
  const name = `steps_${process.pid}_${++databases}`
  await admin.query(`create database ${escapeIdentifier(name)}`)
  const url = Object.assign(new URL(inject('databaseUrl')), { pathname: `/${name}` }).href
  const folders: string[] = []
  const opened: Database[] = []
  const folder = async () => {
    folders.push(await mkdtemp(join(tmpdir(), 'sonant-migrations-')))
    return folders.at(-1)!
  }
  const open = () => {
    opened.push(openDatabase(url, openLog('silent')))
    return opened.at(-1)!
  }
  return {
    url,
    open,
    db: open(),
    /** Files of these names and texts, after the first `released` of this program's own. */
    write: async (files: Readonly<Record<string, string>>, released = 0) => {
      const to = await folder()
      const entries = await readdir(MIGRATIONS, { withFileTypes: true })
      const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
      for (const one of names.sort().slice(0, released))
        await cp(join(MIGRATIONS, one), join(to, one), { recursive: true })
      for (const [one, sql] of Object.entries(files)) {
        await mkdir(join(to, one))
        await writeFile(join(to, one, 'migration.sql'), sql)
      }
      return to
    },
    close: async () => {
      await Promise.all(opened.map((db) => db.close()))
      await admin.query(`drop database ${escapeIdentifier(name)} with (force)`)
      await admin.end()
      for (const one of folders) await rm(one, { recursive: true })
    },
  }
}

/** Describes the behaviour of a database object by object, in an order that does not depend on how it was made. */
export async function describeSchema(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ line: string }>(`
    select indexdef || (select case when i.indisvalid then '' else ' INVALID' end from pg_index i where i.indexrelid = indexname::regclass) as line
      from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all select relname || coalesce(reloptions::text, '') from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    union all select table_name || '.' || column_name || ' ' || udt_name || is_nullable || coalesce(column_default, '') || coalesce(collation_name, '')
      from information_schema.columns where table_schema = 'public'
    order by 1`)
  return rows.map(({ line }) => line)
}

/** Writes one row after the other until it is stopped, and returns the longest wait of one in milliseconds. */
export function keepWriting(db: Database, insert: (n: number) => string) {
  let stopped = false
  let longest = 0
  let written = 0
  const run = async () => {
    while (!stopped) {
      const since = performance.now()
      await db.pool.query(insert(written++))
      longest = Math.max(longest, performance.now() - since)
    }
    return { longest, written }
  }
  const running = run()
  running.catch(() => undefined)
  return {
    written: () => written,
    stop: () => {
      stopped = true
      return running
    },
  }
}
