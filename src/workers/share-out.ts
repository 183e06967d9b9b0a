/** Another worker as its last heartbeat told of it. */
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

export interface Share {
  /** What this worker's part of the limit is: the others leave it as soon as they can. */
  readonly fair: number
  /** What it may have open until it is shared out again: with the others' permits never more than the limit, as long as those kept to theirs. */
  readonly permits: number
}

/**
 * Divides a server's limit among the workers that serve its queues, older ones (by id) first where it does not come out even or there
 * are fewer places than workers. What another worker holds already is its own until it gives it back.
 */
export function shareOut(
  server: { readonly name: string; readonly limit: number; readonly queues: ReadonlySet<string> },
  claimant: Claimant,
  peers: readonly Peer[],
): Share {
  const serves = ({ queues }: Pick<Peer, 'queues'>) => queues.some((queue) => server.queues.has(queue))
  const sharers = peers.filter((peer) => peer.shares && serves(peer))
  const older = sharers.filter(({ id }) => id < claimant.id).length
  const parts = sharers.length + 1
  const part = Math.floor(server.limit / parts) + (older < server.limit % parts ? 1 : 0)
  // Whoever does not take jobs for it any more finishes those that it has.
  const rest = claimant.busy ? Math.max(1, claimant.inUse) : 0
  const fair = serves(claimant) ? part : rest
  const held = peers.reduce((sum, peer) => sum + (peer.permits[server.name] ?? 0), 0)
  return { fair, permits: Math.max(claimant.inUse, Math.min(fair, Math.max(0, server.limit - held))) }
}
