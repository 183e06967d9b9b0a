import type { PoolClient } from 'pg'

/** How often disconnected callers are polled for; also how often a statement without a caller is cancelled anew, should that have come too early. */
const POLL_EVERY_MS = 100

/** A connection checked out for a caller that may stop waiting. */
export interface Checkout {
  readonly client: PoolClient
  /** No caller waits any more for what runs on it. */
  isOver(): boolean
  /** Settles once nothing is under way that might hit the next user of the connection. null: there was nothing. */
  cancelled: Promise<unknown> | null
}

/**
 * Cancels what runs for callers that have disconnected. Polled rather than signalled: a signal would cost every request more than
 * a statement's own bookkeeping, and next to none of them loses its caller.
 */
export interface Checkouts {
  add(checkout: Checkout): void
  delete(checkout: Checkout): void
  /** Ends the connection where it is, whatever it does or is about to do. */
  end(checkout: Checkout): void
}

/** What PostgreSQL is asked for: neither ever throws. */
export interface Backends {
  /** The statement that a connection runs, if any, ends. */
  cancel(client: PoolClient): Promise<void>
  /** The connection ends: a statement that is still on its way to it as well. */
  terminate(client: PoolClient): Promise<void>
}

export function openCheckouts(backends: Backends): Checkouts {
  const open = new Set<Checkout>()
  let polling: NodeJS.Timeout | undefined
  const after = (checkout: Checkout, done: Promise<void>) => {
    checkout.cancelled = Promise.all([checkout.cancelled, done])
  }
  const poll = () => {
    if (open.size === 0) {
      clearInterval(polling)
      polling = undefined
    }
    for (const checkout of open) if (checkout.isOver()) after(checkout, backends.cancel(checkout.client))
  }
  return {
    add: (checkout) => {
      open.add(checkout)
      polling ??= setInterval(poll, POLL_EVERY_MS)
    },
    delete: (checkout) => void open.delete(checkout),
    end: (checkout) => after(checkout, backends.terminate(checkout.client)),
  }
}
