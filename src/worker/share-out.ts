/** Another worker as its last heartbeat reported it. */
export interface Peer {
  readonly id: string
  /** The queues that it takes jobs from. */
  readonly queues: readonly string[]
  /** Requests that it may have open, by server: not to be given away, however long it has been silent. */
  readonly permits: Readonly<Record<string, number>>
  /** It takes jobs: it is to have a share. */
  readonly shares: boolean
}

interface Claimant {
  readonly id: string
  readonly queues: readonly string[]
  /** Requests open now, which are let run. */
  readonly inUse: number
  /** Whether it has a job for the server, whatever its queues are by now. */
  readonly busy: boolean
}

/** A worker's part of a server's limit. */
export interface Share {
  /** What this worker's part of the limit is: the others leave it as soon as they can. */
  readonly fair: number
  /** What it may have open until it is shared out again: with the others' permits never more than the limit, as long as those kept to theirs. */
  readonly permits: number
}

/** A server as far as sharing it out goes. */
interface Shared {
  readonly name: string
  readonly limit: number
  readonly queues: ReadonlySet<string>
}

/**
 * Divides a server's limit among the workers that serve its queues, older ones (by id) first where it does not come out even or there
 * are fewer permits than workers: then in turn, where no other worker would serve one of the queues. What another worker holds already is its
 * own until it releases it.
 * @param round goes up by one from time to time, for all workers alike
 */
export function shareOut(server: Shared, claimant: Claimant, peers: readonly Peer[], round = 0): Share {
  const serves = ({ queues }: Pick<Peer, 'queues'>) => queues.some((queue) => server.queues.has(queue))
  const sharers = [claimant, ...peers.filter((peer) => peer.shares && serves(peer))].sort(byAge)
  const parts = sharers.length
  const first = leavesOut(server, sharers) ? (round * server.limit) % parts : 0
  const place = (sharers.indexOf(claimant) - first + parts) % parts
  const part = Math.floor(server.limit / parts) + (place < server.limit % parts ? 1 : 0)
  // A worker that takes no more jobs for it finishes those that it has.
  const rest = claimant.busy ? Math.max(1, claimant.inUse) : 0
  const fair = serves(claimant) ? part : rest
  const held = peers.reduce((sum, peer) => sum + (peer.permits[server.name] ?? 0), 0)
  return { fair, permits: Math.max(claimant.inUse, Math.min(fair, Math.max(0, server.limit - held))) }
}

/** Whether no worker that is old enough for a share takes jobs from one of the queues. */
function leavesOut({ limit, queues }: Shared, sharers: readonly Pick<Peer, 'queues'>[]): boolean {
  const served = (by: typeof sharers) =>
    [...queues].filter((queue) => by.some((worker) => worker.queues.includes(queue)))
  return served(sharers.slice(0, limit)).length < served(sharers).length
}

const byAge = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)
