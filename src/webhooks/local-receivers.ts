import type { Notifier } from '../db/notifier.ts'
import { LOOPBACK, type LocalReceivers } from '../egress/ip-ranges.ts'

const CHANNEL = 'sonant_local_receiver'
export const ANNOUNCE_MS = 1000
const BELIEVED_MS = 5000
const MOST_RECEIVERS = 16
export interface LocalReceiver {
  readonly port: number
  /** PEM for 127.0.0.1, pinned by the worker; null: the receiver ended. */
  readonly certificate: string | null
}

/** Nothing stores the announcement, so the receiver repeats it. */
export const announceReceiver = (notifier: Notifier, receiver: LocalReceiver): Promise<void> =>
  notifier.notify(CHANNEL, JSON.stringify(receiver))

/** Tracks announced receivers; the egress guard admits exactly these. The pinned certificate protects other local services. */
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
