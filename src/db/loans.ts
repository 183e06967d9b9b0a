import type { Tx } from './database.ts'

/** How often it is looked whether somebody has gone; also how often what runs for nobody is cancelled anew, should that have come too early. */
const LOOK_EVERY_MS = 100

/** A connection in the hands of somebody who may stop waiting. */
export interface Loan {
  readonly client: Tx
  /** Nobody waits any more for what runs on it. */
  isOver(): boolean
  /** Settles once no cancellation is under way: until then it might hit whoever uses the connection next. null: there was none. */
  cancelled: Promise<unknown> | null
}

/**
 * Cancels what runs for those who have gone. Looked up now and then rather than told by a signal: that would cost every request more than
 * a statement's own bookkeeping, and next to none of them is left by its caller.
 */
export interface Loans {
  add(loan: Loan): void
  delete(loan: Loan): void
  cancel(loan: Loan): void
}

/** @param cancel ends the statement that a connection runs, if any; never throws */
export function openLoans(cancel: (client: Tx) => Promise<void>): Loans {
  const open = new Set<Loan>()
  let looking: NodeJS.Timeout | undefined
  const cancelOne = (loan: Loan) => {
    loan.cancelled = Promise.all([loan.cancelled, cancel(loan.client)])
  }
  const look = () => {
    if (open.size === 0) {
      clearInterval(looking)
      looking = undefined
    }
    for (const loan of open) if (loan.isOver()) cancelOne(loan)
  }
  return {
    add: (loan) => {
      open.add(loan)
      looking ??= setInterval(look, LOOK_EVERY_MS)
    },
    delete: (loan) => void open.delete(loan),
    cancel: cancelOne,
  }
}
