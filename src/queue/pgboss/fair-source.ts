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
  readonly limits?: () => ReadonlyMap<string, number>
  readonly rowClaim?: RowClaim | undefined
}

/** Serves accounts round robin within each server's capacity. */
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
          // PostgreSQL refused a row and took nothing. Without row claims, only that job fails.
          if (rowClaim === undefined || !isDatabaseError(error) || isDatabaseDown(error)) throw error
          return claimQueued(db, claim)
        })
        turn = deliveries.reduce(nextTurn, turn)
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
