import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { SessionClient } from '../db/connections/session-client.ts'
import type { Database } from '../db/database.ts'
import type { BackupTable, Manifest } from './manifest.ts'
import { listPartitions, listTables, type Reader } from './tables.ts'

/**
 * Fills the tables in one transaction, so that there are all rows or none. Triggers, which keep what the backup holds as well, are off
 * meanwhile; foreign keys are not, so what others refer to comes first. The role has to own the tables, and nothing more.
 */
export async function restoreTables(db: Database, dir: string, manifest: Manifest): Promise<void> {
  const client = new SessionClient({ connectionString: db.url, application_name: 'sonant restore' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('begin; set local statement_timeout = 0; set local synchronous_commit = on')
    await makePartitions(client, manifest)
    const tables = await inOrder(client, manifest)
    const all = tables.map(({ name }) => escapeIdentifier(name))
    await client.query(`truncate ${all.join(', ')} restart identity cascade`)
    for (const table of all) await client.query(`alter table ${table} disable trigger user`)
    for (const table of tables) await fill(client, dir, table)
    // Checks of foreign keys that wait would keep the tables from being altered.
    await client.query('set constraints all immediate')
    for (const table of all) await client.query(`alter table ${table} enable trigger user`)
    for (const { name, value, isCalled } of manifest.sequences) {
      await client.query('select setval($1::regclass, $2, $3)', [escapeIdentifier(name), value, isCalled])
    }
    await client.query('commit')
    for (const table of all) await client.query(`analyze ${table}`)
  } finally {
    await client.end()
  }
}

const readerOf = (client: Client): Reader => ({ query: async (text) => (await client.query(text)).rows })

async function makePartitions(client: Client, { partitions }: Manifest): Promise<void> {
  const there = new Set((await listPartitions(readerOf(client))).map(({ name }) => name))
  for (const { name, parent, bound } of partitions.filter((one) => !there.has(one.name))) {
    await client.query(
      `create table ${escapeIdentifier(name)} partition of ${escapeIdentifier(parent)} ${checkedBound(bound)}`,
    )
  }
}

/** As PostgreSQL prints it: the manifest is a file, and what it says is run. */
function checkedBound(bound: string): string {
  if (/^(DEFAULT|FOR VALUES FROM \(('[^']*'|MINVALUE)\) TO \(('[^']*'|MAXVALUE)\))$/.test(bound)) return bound
  throw new Error(`The backup names a partition that cannot be made: ${bound}.`)
}

/** What others refer to first, as the schema says that was just made. */
async function inOrder(client: Client, manifest: Manifest): Promise<BackupTable[]> {
  const order = (await listTables(readerOf(client))).map(({ name }) => name)
  return manifest.tables.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

async function fill(client: Client, dir: string, { name, columns, rows, file }: BackupTable): Promise<void> {
  const list = columns.map(escapeIdentifier).join(', ')
  const copy = client.query(copyFrom(`copy ${escapeIdentifier(name)} (${list}) from stdin`))
  await pipeline(createReadStream(join(dir, file.path)), createGunzip(), copy)
  if (copy.rowCount !== rows)
    throw new Error(`Only ${copy.rowCount} of ${rows} rows of ${escapeLiteral(name)} were restored.`)
}
