import type { Tx } from './database.ts'

/** How often departed callers are looked for; also how often a statement without a caller is cancelled anew, should that have come too early. */
const LOOK_EVERY_MS = 100

/** A connection lent to a caller that may stop waiting. */
export interface Loan {
  readonly client: Tx
  /** No caller waits any more for what runs on it. */
  isOver(): boolean
  /** Settles once nothing is under way that might hit the next user of the connection. null: there was nothing. */
  cancelled: Promise<unknown> | null
}

/**
 * Cancels what runs for those who have gone. Looked up now and then rather than told by a signal: that would cost every request more than
 * a statement's own bookkeeping, and next to none of them is left by its caller.
 */
export interface Loans {
  add(loan: Loan): void
  delete(loan: Loan): void
  /** Ends the connection where it is, whatever it does or is about to do. */
  end(loan: Loan): void
}

/** What PostgreSQL is asked for: neither ever throws. */
export interface Backends {
  /** The statement that a connection runs, if any, ends. */
  cancel(client: Tx): Promise<void>
  /** The connection ends: a statement that is still on its way to it as well. */
  terminate(client: Tx): Promise<void>
}

export function openLoans(backends: Backends): Loans {
  const open = new Set<Loan>()
  let looking: NodeJS.Timeout | undefined
  const after = (loan: Loan, done: Promise<void>) => {
    loan.cancelled = Promise.all([loan.cancelled, done])
  }
  const look = () => {
    if (open.size === 0) {
      clearInterval(looking)
      looking = undefined
    }
    for (const loan of open) if (loan.isOver()) after(loan, backends.cancel(loan.client))
  }
  return {
    add: (loan) => {
      open.add(loan)
      looking ??= setInterval(look, LOOK_EVERY_MS)
    },
    delete: (loan) => void open.delete(loan),
    end: (loan) => after(loan, backends.terminate(loan.client)),
  }
}
