import { isDatabaseDown } from '../../errors/database-down.ts'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import { buildIndex, concurrentIndex } from './concurrent-index.ts'
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
import { inTransaction, type Sessions } from './step-transaction.ts'
import { LockedForGood, untilUnlocked } from './until-unlocked.ts'
import { GuardLost } from './watch-waits.ts'

const CANCELLED = '57014'
const START: Progress = { steps: 0, cursor: null, rows: 0 }

interface Run extends Sessions {
  readonly migration: Migration
  readonly log: Log
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
