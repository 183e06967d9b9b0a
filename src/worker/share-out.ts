export interface Peer {
  readonly id: string
  readonly queues: readonly string[]
  /** Concurrent requests by server; reserved even if the worker is silent. */
  readonly permits: Readonly<Record<string, number>>
  readonly shares: boolean
}

interface Claimant {
  readonly id: string
  readonly queues: readonly string[]
  readonly inUse: number
  readonly busy: boolean
}

export interface Share {
  /** Its part of the limit, reached as others release permits. */
  readonly fair: number
  /** Usable now: all workers' permits together never exceed the limit. */
  readonly permits: number
}

interface Shared {
  readonly name: string
  readonly limit: number
  readonly queues: ReadonlySet<string>
}

/**
 * Divides a server's limit among its workers, oldest first. If a queue would have no worker, they take turns. Permits that another
 * worker holds stay its own until released.
 * @param round the same for all workers; increases with time
 */
export function shareOut(server: Shared, claimant: Claimant, peers: readonly Peer[], round = 0): Share {
  const serves = ({ queues }: Pick<Peer, 'queues'>) => queues.some((queue) => server.queues.has(queue))
  const sharers = [claimant, ...peers.filter((peer) => peer.shares && serves(peer))].sort(byAge)
  const parts = sharers.length
  const first = leavesOut(server, sharers) ? (round * server.limit) % parts : 0
  const place = (sharers.indexOf(claimant) - first + parts) % parts
  const part = Math.floor(server.limit / parts) + (place < server.limit % parts ? 1 : 0)
  const rest = claimant.busy ? Math.max(1, claimant.inUse) : 0
  const fair = serves(claimant) ? part : rest
  const held = peers.reduce((sum, peer) => sum + (peer.permits[server.name] ?? 0), 0)
  return { fair, permits: Math.max(claimant.inUse, Math.min(fair, Math.max(0, server.limit - held))) }
}

function leavesOut({ limit, queues }: Shared, sharers: readonly Pick<Peer, 'queues'>[]): boolean {
  const served = (by: typeof sharers) =>
    [...queues].filter((queue) => by.some((worker) => worker.queues.includes(queue)))
  return served(sharers.slice(0, limit)).length < served(sharers).length
}

const byAge = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)
