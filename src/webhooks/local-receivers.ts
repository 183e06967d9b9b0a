import type { Notifier } from '../db/notifier.ts'
import { LOOPBACK, type LocalReceivers } from '../egress/local-receivers.ts'

const CHANNEL = 'sonant_local_receiver'
/** How often a receiver says that it is still there, and how long a worker believes it. */
export const ANNOUNCE_MS = 1000
const BELIEVED_MS = 5000
const MOST_RECEIVERS = 16
/** A receiver on a worker's own machine, run by `sonant webhooks listen` to try webhooks with. */
export interface LocalReceiver {
  readonly port: number
  /** PEM, for 127.0.0.1: nothing but the holder of its key is connected to. null: it has gone. */
  readonly certificate: string | null
}

/** Notifies every worker of this database of a receiver, or that it has gone. Kept nowhere: it has to be repeated. */
export const announceReceiver = (notifier: Notifier, receiver: LocalReceiver): Promise<void> =>
  notifier.notify(CHANNEL, JSON.stringify(receiver))

/**
 * The local receivers as they announce themselves: a guard of addresses lets deliveries reach exactly these, on this machine, as long as
 * they run. What can announce one can write to the database already; a pinned certificate keeps other services of the machine out of
 * reach all the same.
 */
export async function followReceivers(notifier: Notifier): Promise<LocalReceivers> {
  const known = new Map<number, { certificate: string; until: number }>()
  const onMessage = (payload: string): void => {
    const { port, certificate } = JSON.parse(payload) as LocalReceiver
    known.delete(port)
    if (certificate !== null && known.size < MOST_RECEIVERS)
      known.set(port, { certificate, until: performance.now() + BELIEVED_MS })
  }
  await notifier.listen(CHANNEL, onMessage, () => undefined)
  return {
    find: (hostname, port) => {
      const found = hostname === LOOPBACK ? known.get(port) : undefined
      if (found === undefined) return null
      if (found.until > performance.now()) return found.certificate
      known.delete(port)
      return null
    },
  }
}
