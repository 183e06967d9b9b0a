import type { PoolClient } from 'pg'

const POLL_EVERY_MS = 100

export interface Checkout {
  readonly client: PoolClient
  isOver(): boolean
  /** Settles once no cancel request can hit the connection's next user; null: none was sent. */
  cancelled: Promise<unknown> | null
}

export interface Checkouts {
  add(checkout: Checkout): void
  delete(checkout: Checkout): void
}

/** @param cancel ends the connection's current statement; never throws */
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
