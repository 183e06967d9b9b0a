import { embeddedSlots, ownedServerLimit, serverLimits, serverQueues } from '../catalog/engine-server.ts'
import { jobKinds } from '../catalog/job-kinds.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { OWNED_SERVER } from '../engines/engine-block.ts'
import { type JobKind, voiceKind } from '../queue/job-kind.ts'
import { ServerQueue, type ServerQueues } from '../queue/server-queue.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { DEAD_AFTER_MS } from './workers.ts'

/** Workers stop using permits a second before others take them for dead. */
const VALID_MS = DEAD_AFTER_MS - 1000
/** The timeout frees the lock of a worker that loses its network. */
const LOCK = `
  set local idle_in_transaction_session_timeout = '${VALID_MS - 1000}ms';
  select pg_advisory_xact_lock(hashtextextended('sonant permits', 0))`
/** now() is the begin of the transaction, which waited for the lock: a heartbeat may be newer. */
const GRANT = 'update worker set permits = $2, heartbeat_at = greatest(heartbeat_at, now()) where id = $1'
const ROUND_SECONDS = 10
const PEERS = `
  select id, pools, permits, heartbeat_at > now() - $2 * interval '1 millisecond' as shares,
    floor(extract(epoch from clock_timestamp()) / ${ROUND_SECONDS})::integer as round
  from worker where id <> $1 order by id`

interface Gate {
  readonly slots: Semaphore
  readonly queues: ServerQueuePair
}

interface ServerQueuePair {
  readonly awaited: ServerQueue
  readonly others: ServerQueue
}

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

interface Share {
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
 * This process's permits (concurrent requests) for each server's `max_in_flight`. Workers share limits one at a time under a lock
 * and write their permits before using them. A dead worker's permits become free with its jobs. An owned server is not shared.
 */
export class ServerPermits {
  readonly #runtime: Pick<Runtime, 'catalog' | 'db' | 'workerId'>
  readonly #queues: () => readonly string[]
  readonly #ownedLimit: () => number
  readonly #gates = new Map<string, Gate>()
  readonly #watchers = new Map<string, () => void>()
  #shares = new Map<string, Share>()
  #validUntil = Number.NEGATIVE_INFINITY
  #renewing: Promise<void> = Promise.resolve()

  constructor(
    runtime: Pick<Runtime, 'catalog' | 'db' | 'workerId'>,
    queues: () => readonly string[],
    owned: () => readonly string[] = () => [],
  ) {
    this.#runtime = runtime
    this.#queues = queues
    this.#ownedLimit = () => ownedServerLimit(runtime.catalog.current, new Set(owned()))
  }

  slotsAt(server: string): Semaphore {
    return this.#gateAt(server).slots
  }

  serverQueuesOf(kind: JobKind): ServerQueues {
    const limits = () => serverLimits(this.#runtime.catalog.current, kind)
    return {
      capacities: (isAwaited) =>
        new Map([...limits().keys()].map((name) => [name, this.#queueAt(name, isAwaited).capacity])),
      at: (server, isAwaited) => (limits().has(server) ? this.#queueAt(server, isAwaited) : undefined),
      watch: (poll) => void this.#watchers.set(kind.queue, poll),
    }
  }

  countOf(kind: JobKind): number {
    const servers = serverLimits(this.#runtime.catalog.current, kind).keys()
    return [...servers].reduce((sum, server) => sum + this.#permitsAt(server), 0)
  }

  servers(): readonly {
    readonly server: string
    readonly inUse: number
    readonly permits: number
    readonly limit: number
  }[] {
    const limits = serverLimits(this.#runtime.catalog.current)
    return [...this.#gates.keys()].map((server) => {
      const { inUse } = this.#useOf(server)
      return { server, inUse, permits: this.#permitsAt(server), limit: limits.get(server) ?? 0 }
    })
  }

  grantOwned(): void {
    grantMore(this.#gateAt(OWNED_SERVER))
  }

  /** Shares the limits anew. The worker calls it after each heartbeat and each change of pools or catalog. */
  renew(): Promise<void> {
    const renewed = this.#renewing.then(() => this.#renew())
    this.#renewing = renewed.catch(() => undefined)
    return renewed
  }

  #permitsAt(server: string, letIn = 0): number {
    if (server === OWNED_SERVER) return this.#ownedLimit()
    const share = performance.now() < this.#validUntil ? this.#shares.get(server) : undefined
    return share === undefined ? 0 : Math.min(Math.max(share.fair, letIn), share.permits)
  }

  #gateAt(server: string): Gate {
    const known = this.#gates.get(server)
    if (known !== undefined) return known
    const onCapacity = () => this.#pollQueuesOf(server)
    const newQueue = () => new ServerQueue({ limit: () => this.#permitsAt(server), onCapacity })
    const queues = { awaited: newQueue(), others: newQueue() }
    // Jobs admitted under a larger share keep their permits until they end.
    const gate = { slots: new Semaphore(() => this.#permitsAt(server, letInBy(queues))), queues }
    this.#gates.set(server, gate)
    if (server !== OWNED_SERVER && this.#shares.size > 0 && !this.#shares.has(server))
      void this.renew().catch(() => undefined)
    return gate
  }

  #queueAt(server: string, isAwaited: boolean): ServerQueue {
    const { awaited, others } = this.#gateAt(server).queues
    return isAwaited ? awaited : others
  }

  #pollQueuesOf(server: string): void {
    for (const queue of serverQueues(this.#runtime.catalog.current, server)) this.#watchers.get(queue)?.()
  }

  #useOf(server: string): { inUse: number; busy: boolean } {
    const gate = this.#gates.get(server)
    if (gate === undefined) return { inUse: 0, busy: false }
    const inUse = Math.max(gate.slots.inUse, letInBy(gate.queues))
    return { inUse, busy: inUse + gate.slots.waiting > 0 }
  }

  async #renew(): Promise<void> {
    const begun = performance.now()
    if (this.#gates.size === 0 && serverLimits(this.#runtime.catalog.current).size === 0) return
    this.#shares = await inTransaction(this.#runtime.db, (tx) => this.#writeShares(tx))
    this.#validUntil = begun + VALID_MS
    for (const gate of this.#gates.values()) grantMore(gate)
  }

  async #writeShares(tx: Tx): Promise<Map<string, Share>> {
    const { workerId } = this.#runtime
    await tx.query(LOCK)
    const next = this.#shareAll(await readPeers(tx, workerId))
    // Until the commit is known, only what both the old and the new permits allow is used.
    this.#shares = new Map([...next].map(([server, share]) => [server, lower(share, this.#shares.get(server))]))
    const permits = [...next].flatMap(([server, share]) => (share.permits > 0 ? [[server, share.permits]] : []))
    const { rowCount } = await tx.query(GRANT, [workerId, JSON.stringify(Object.fromEntries(permits))])
    if (rowCount === 0) throw new Error('this worker is not registered')
    return next
  }

  #shareAll(peers: readonly PeerNow[]): Map<string, Share> {
    const servers = this.#runtime.catalog.current
    const queues = this.#queues()
    const limits = serverLimits(servers)
    limits.delete(OWNED_SERVER)
    for (const server of this.#gates.keys()) {
      if (!limits.has(server) && server !== OWNED_SERVER) limits.set(server, Math.max(1, this.#useOf(server).inUse))
    }
    return new Map(
      [...limits].map(([name, limit]) => {
        const server = { name, limit, queues: serverQueues(servers, name) }
        const claimant = { id: this.#runtime.workerId, queues, ...this.#useOf(name) }
        return [name, shareOut(server, claimant, peers, peers[0]?.round)]
      }),
    )
  }
}

/** Requests that the jobs of either queue may have at once: both share the permits. */
const letInBy = ({ awaited, others }: ServerQueuePair): number => Math.max(awaited.inUse, others.inUse)

function grantMore({ slots, queues: { awaited, others } }: Gate): void {
  slots.grant()
  awaited.grantMore()
  others.grantMore()
}

const lower = (next: Share, last: Share | undefined): Share => ({
  fair: Math.min(next.fair, last?.fair ?? 0),
  permits: Math.min(next.permits, last?.permits ?? 0),
})

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

/** Queues of a worker with these pools; a stopping worker has none, any other also generates. */
export const queuesOf = (pools: readonly string[]): string[] =>
  pools.length === 0 ? [] : jobKinds(pools).map(({ queue }) => queue)

type PeerNow = Peer & { readonly round: number }

/** Includes dead workers, whose permits become free only with their jobs. */
async function readPeers(tx: Tx, workerId: string): Promise<PeerNow[]> {
  const { rows } = await tx.query<Omit<PeerNow, 'queues'> & { readonly pools: readonly string[] }>(PEERS, [
    workerId,
    DEAD_AFTER_MS,
  ])
  return rows.map(({ pools, ...peer }) => ({ ...peer, queues: queuesOf(pools) }))
}

/** Slots for jobs that run in this process, including a pool that no endpoint names. */
export function slotsInProcess({ catalog }: Pick<Runtime, 'catalog'>, pool: string, threads: number): number {
  const servers = catalog.current
  const slots = embeddedSlots(servers, pool, threads)
  // The extra slot keeps all threads busy while one job is stored.
  if (slots > 0) return slots + 1
  return serverLimits(servers, voiceKind(pool)).size === 0 ? threads + 1 : 0
}

export const slotsOver = (
  runtime: Pick<Runtime, 'catalog'>,
  pools: readonly string[],
  permits: ServerPermits,
  threads: number,
): number =>
  [
    ...jobKinds(pools).map((kind) => permits.countOf(kind)),
    ...pools.map((pool) => slotsInProcess(runtime, pool, threads)),
  ].reduce((sum, slots) => sum + slots, 0)
