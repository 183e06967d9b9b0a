import type { Database } from '../../db/database.ts'
import { isDatabaseDown, isDatabaseError } from '../../errors/database-down.ts'
import type { JobKind } from '../job-kind.ts'
import type { JobSource, RowClaim } from '../job-source.ts'
import { claimQueued, releaseUnknown, type Turn } from './claim-queued.ts'

const NO_LIMITS: ReadonlyMap<string, number> = new Map()

interface FairOptions {
  readonly db: Database
  readonly kind: JobKind
  readonly workerId: string
  /** How many more jobs of each server there is capacity for here; asked again for every claim. Absent: no server has a limit. */
  readonly limits?: () => ReadonlyMap<string, number>
  /** Claims the jobs' own rows in the same statement; absent: they are still to be claimed. */
  readonly rowClaim?: RowClaim | undefined
}

/** Serves the accounts round robin, within the capacity for each server: pg-boss's own fetch knows neither. */
export function fairSource({ db, kind, workerId, limits = () => NO_LIMITS, rowClaim }: FairOptions): JobSource {
  const mine = { queue: kind.queue, workerId }
  let turn: Turn = { served: '', awaited: '', inARow: 0 }
  let answerLost = false
  return {
    take: async (free, known) => {
      try {
        if (answerLost) await releaseUnknown(db, { ...mine, known })
        answerLost = false
        const claim = { ...mine, free, after: turn, limits: limits() }
        const deliveries = await claimQueued(db, claim, rowClaim).catch((error: unknown) => {
          // A row that PostgreSQL refuses fails alone, when it is claimed: nothing was taken.
          if (rowClaim === undefined || !isDatabaseError(error) || isDatabaseDown(error)) throw error
          return claimQueued(db, claim)
        })
        turn = deliveries.reduce(nextTurn, turn)
        // Accounts with less than their share left slots free that others can use.
        return { deliveries, more: deliveries.length > 1 && deliveries.length < free }
      } catch (error) {
        answerLost = true
        throw error
      }
    },
    left: () => true,
  }
}

const nextTurn = (turn: Turn, taken: { readonly accountId: string; readonly isAwaited: boolean }): Turn =>
  taken.isAwaited
    ? { ...turn, awaited: taken.accountId, inARow: turn.inARow + 1 }
    : { ...turn, served: taken.accountId, inARow: 0 }
