import { createHash } from 'node:crypto'
import { type Client, escapeIdentifier } from 'pg'
import { errorCode } from '../../values/data-directory.ts'
import { inTransaction, type Sessions } from './step-transaction.ts'

interface ConcurrentIndex {
  readonly isUnique: boolean
  readonly name: string
  readonly table: string
  readonly rest: string
}

const START = /^create\s+(?:unique\s+)?index\s+concurrently\b/i
const FORM =
  /^create\s+(unique\s+)?index\s+concurrently\s+("\w+"|[a-z_]\w*)\s+on\s+("\w+"|[a-z_]\w*)(\s*\(.*|\s+using\s.*)$/is
const LONGEST_NAME = 63
const UNDEFINED_TABLE = '42P01'

/**
 * Null for other statements.
 * @throws if the name or table is qualified
 */
export function concurrentIndex(sql: string): ConcurrentIndex | null {
  if (!START.test(sql.trim())) return null
  const [, unique, name, table, rest] = FORM.exec(sql.trim()) ?? []
  if (name === undefined || table === undefined || rest === undefined)
    throw new Error(`Name an index and its table without a schema, IF NOT EXISTS or ONLY: ${sql.trim().slice(0, 100)}`)
  return { isUnique: unique !== undefined, name: plain(name), table: plain(table), rest }
}

const plain = (name: string): string => (name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase())

/**
 * Builds an index without blocking writes. PostgreSQL cannot do so on a partitioned table, so each partition's index is built and
 * then attached; attaching blocks writes briefly.
 */
export async function buildIndex(sessions: Sessions, index: ConcurrentIndex): Promise<void> {
  const { client } = sessions
  let before: readonly string[] = []
  for (;;) {
    if (await isValid(client, index.name)) return
    const partitions = await partitionsOf(client, index.table)
    if (partitions === null) return buildAlone(client, index)
    const isRepeated = partitions.join() === before.join()
    const parts = partitions.map((table) => ({ ...index, table, name: nameOfPart(index, table) }))
    await buildParts(sessions, index, parts).catch((error: unknown) => {
      if (isRepeated || errorCode(error) !== UNDEFINED_TABLE) throw error
    })
    before = partitions
  }
}

async function buildParts(
  sessions: Sessions,
  index: ConcurrentIndex,
  parts: readonly ConcurrentIndex[],
): Promise<void> {
  const { client } = sessions
  for (const part of parts) await buildAlone(client, part)
  const name = escapeIdentifier(index.name)
  await inTransaction(sessions, async () => {
    await client.query(createText(index, `index if not exists ${name} on only`))
    for (const part of parts) await client.query(`alter index ${name} attach partition ${escapeIdentifier(part.name)}`)
  })
}

/** Drops and rebuilds an invalid index; keeps a valid one of an interrupted run. */
async function buildAlone(client: Client, index: ConcurrentIndex): Promise<void> {
  const name = escapeIdentifier(index.name)
  const valid = await isValid(client, index.name)
  if (valid) return
  if (valid === false) await client.query(`drop index concurrently ${name}`)
  await client.query(createText(index, `index concurrently ${name} on`))
}

const createText = ({ isUnique, table, rest }: ConcurrentIndex, what: string): string =>
  `create ${isUnique ? 'unique ' : ''}${what} ${escapeIdentifier(table)}${rest}`

/** Names it as PostgreSQL does; a hash shortens a long name. */
function nameOfPart({ name, table }: ConcurrentIndex, partition: string): string {
  const whole = `${partition}_${name.startsWith(`${table}_`) ? name.slice(table.length + 1) : name}`
  if (Buffer.byteLength(whole) <= LONGEST_NAME) return whole
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${whole.slice(0, LONGEST_NAME - hash.length - 1)}_${hash}`
}

async function isValid(client: Client, name: string): Promise<boolean | undefined> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [escapeIdentifier(name)],
  )
  return rows[0]?.valid
}

async function partitionsOf(client: Client, table: string): Promise<string[] | null> {
  const { rows } = await client.query<{ isPartitioned: boolean; partitions: string[] }>(
    `select relkind = 'p' as "isPartitioned", array(
       select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = p.oid order by 1) as partitions
     from pg_class p where p.oid = to_regclass($1)`,
    [escapeIdentifier(table)],
  )
  const [found] = rows
  return found?.isPartitioned === true ? found.partitions : null
}
