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
}

/** @param cancel ends the statement that a connection runs, if any; never throws */
export function openCheckouts(cancel: (client: PoolClient) => Promise<void>): Checkouts {
  const open = new Set<Checkout>()
  let polling: NodeJS.Timeout | undefined
  const poll = () => {
    if (open.size === 0) {
      clearInterval(polling)
      polling = undefined
    }
    for (const checkout of open) {
      if (checkout.isOver()) checkout.cancelled = Promise.all([checkout.cancelled, cancel(checkout.client)])
    }
  }
  return {
    add: (checkout) => {
      open.add(checkout)
      polling ??= setInterval(poll, POLL_EVERY_MS)
    },
    delete: (checkout) => void open.delete(checkout),
  }
}
