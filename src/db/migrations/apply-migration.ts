import type { Client } from 'pg'
import { isDatabaseDown } from '../../errors/database-down.ts'
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
import { LOCK_TIMEOUT_MS, LockedForGood, untilUnlocked } from './until-unlocked.ts'

const CANCELLED = '57014'
const START: Progress = { steps: 0, cursor: null, rows: 0 }

interface Run {
  readonly client: Client
  readonly migration: Migration
  readonly log: Log
}

/**
 * Applies one migration, each of its steps together with its place in the ledger or not at all: a process that is killed, or whose
 * connection breaks, leaves a ledger that the next run goes on with.
 * @param begun its row where it was broken off between two steps, or where an operator has mended the step that failed
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

/** What was no fault of the migration: the next run tries again. */
const saysNothing = (error: unknown): boolean =>
  isDatabaseDown(error) || error instanceof LockedForGood || errorCode(error) === CANCELLED

const applyWhole = ({ client, migration }: Run): Promise<void> =>
  inTransaction(client, async () => {
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
      await untilUnlocked(migration.name, log, () => runConcurrently(client, step.sql))
      await record()
    } else {
      await untilUnlocked(migration.name, log, () =>
        inTransaction(client, async () => {
          await client.query(step.sql)
          await record()
        }),
      )
    }
  }
}

/** The statement gets the last page's cursor ($1, null at first) and returns its own with the number of its rows; no cursor ends it. */
async function applyPages({ client, migration, log }: Run, row: string, sql: string, from: Progress): Promise<void> {
  let progress: Progress | null = from
  while (progress !== null) {
    const at: Progress = progress
    await untilUnlocked(migration.name, log, () =>
      inTransaction(client, async () => {
        const page = (await client.query<{ cursor: string | null; rows: string | number }>(sql, [at.cursor])).rows[0]
        const cursor = page?.cursor ?? null
        progress = cursor === null ? null : { ...at, cursor, rows: at.rows + Number(page?.rows ?? 0) }
        if (progress !== null) await recordProgress(client, row, progress, migration.steps.length)
      }),
    )
  }
}

const INDEX = /^create\s+(?:unique\s+)?index\s+concurrently\s+("?\w+"?)/i

/**
 * A build that was broken off leaves an index that is not valid: it goes, and is built again. One that is valid was built by a run that
 * ended before it could say so.
 */
async function runConcurrently(client: Client, sql: string): Promise<void> {
  const index = INDEX.exec(sql)?.[1]
  if (index !== undefined) {
    const found = await client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [index],
    )
    if (found.rows[0]?.valid === true) return
    if (found.rows[0] !== undefined) await client.query(`drop index concurrently ${index}`)
  }
  await client.query(sql)
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    // Where the connection is gone, so is the transaction.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
