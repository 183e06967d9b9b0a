import { createHash } from 'node:crypto'
import { type Client, escapeIdentifier } from 'pg'
import { isDatabaseDown } from '../../errors/outages.ts'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import {
  type LedgerRow,
  type Progress,
  progressOf,
  recordFailure,
  recordFinish,
  recordProgress,
  recordStart,
} from './ledger.ts'
import type { Migration } from './migration-files.ts'
import { GuardLost, inTransaction, LockedForGood, type Sessions, untilUnlocked } from './step-transaction.ts'

const CANCELLED = '57014'
const START: Progress = { steps: 0, cursor: null, rows: 0 }
const INDEX_START = /^create\s+(?:unique\s+)?index\s+concurrently\b/i
const FORM =
  /^create\s+(unique\s+)?index\s+concurrently\s+("\w+"|[a-z_]\w*)\s+on\s+("\w+"|[a-z_]\w*)(\s*\(.*|\s+using\s.*)$/is
const LONGEST_NAME = 63
const UNDEFINED_TABLE = '42P01'

interface Run extends Sessions {
  readonly migration: Migration
  readonly log: Log
}

interface ConcurrentIndex {
  readonly isUnique: boolean
  readonly name: string
  readonly table: string
  readonly rest: string
}

/**
 * Applies one migration; each step commits with its place in the ledger, so the next run resumes after a crash.
 * @param begun its row if an earlier run was interrupted or an operator repaired the failed step
 */
export async function applyMigration(run: Run, begun: LedgerRow | undefined): Promise<void> {
  const { client, migration } = run
  const isWhole = migration.steps.length === 1 && migration.steps[0]?.kind === 'transaction'
  let row: string | undefined
  try {
    if (isWhole) return await untilUnlocked(migration.name, run.log, () => applyWhole(run))
    const from = begun === undefined ? START : progressOf(begun)
    row = begun?.state === 'under way' ? begun.id : await recordStart(client, migration, from)
    await applySteps(run, row, from)
  } catch (error) {
    if (saysNothing(error)) throw error
    const { message } = error as Error
    await recordFailure(client, row ?? (await recordStart(client, migration)), message)
    throw new Error(`The migration ${migration.name} failed: ${message}.`, { cause: error })
  }
}

/** Errors that are not the migration's fault; the next run retries. */
const saysNothing = (error: unknown): boolean =>
  isDatabaseDown(error) ||
  error instanceof LockedForGood ||
  error instanceof GuardLost ||
  errorCode(error) === CANCELLED

const applyWhole = (run: Run): Promise<void> =>
  inTransaction(run, async () => {
    const { client, migration } = run
    const row = await recordStart(client, migration)
    await client.query(migration.sql)
    await recordFinish(client, row)
  })

async function applySteps(run: Run, row: string, from: Progress): Promise<void> {
  const { client, migration, log } = run
  const { steps } = migration
  for (let at = from.steps; at < steps.length; at++) {
    const step = steps[at] as Migration['steps'][number]
    const record = () =>
      at + 1 === steps.length
        ? recordFinish(client, row)
        : recordProgress(client, row, { ...START, steps: at + 1 }, steps.length)
    if (step.kind === 'pages') {
      await applyPages(run, row, step.sql, at === from.steps ? from : { ...START, steps: at })
      await record()
    } else if (step.kind === 'concurrently') {
      await untilUnlocked(migration.name, log, () => runConcurrently(run, step.sql))
      await record()
    } else {
      await untilUnlocked(migration.name, log, () =>
        inTransaction(run, async () => {
          await client.query(step.sql)
          await record()
        }),
      )
    }
  }
}

/** Each page receives the last cursor ($1, null at first); a null cursor ends. */
async function applyPages(run: Run, row: string, sql: string, from: Progress): Promise<void> {
  const { client, migration, log } = run
  let progress: Progress | null = from
  while (progress !== null) {
    const at: Progress = progress
    await untilUnlocked(migration.name, log, () =>
      inTransaction(run, async () => {
        const page = (await client.query<{ cursor: string | null; rows: string | number }>(sql, [at.cursor])).rows[0]
        const cursor = page?.cursor ?? null
        progress = cursor === null ? null : { ...at, cursor, rows: at.rows + Number(page?.rows ?? 0) }
        if (progress !== null) await recordProgress(client, row, progress, migration.steps.length)
      }),
    )
  }
}

async function runConcurrently(run: Run, sql: string): Promise<void> {
  const index = concurrentIndex(sql)
  if (index === null) await run.client.query(sql)
  else await buildIndex(run, index)
}

/**
 * Null for other statements.
 * @throws if the name or table is qualified
 */
function concurrentIndex(sql: string): ConcurrentIndex | null {
  if (!INDEX_START.test(sql.trim())) return null
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
async function buildIndex(sessions: Sessions, index: ConcurrentIndex): Promise<void> {
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
