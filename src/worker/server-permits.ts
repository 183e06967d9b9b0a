import { ownedServerLimit, serverLimits, serverQueues } from '../catalog/engine-server.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { OWNED_SERVER } from '../engines/owned-server.ts'
import type { JobKind } from '../queue/job-kind.ts'
import { ServerQueue, type ServerQueues } from '../queue/server-queue.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type PeerNow, readPeers } from './permit-peers.ts'
import { type Share, shareOut } from './share-out.ts'
import { DEAD_AFTER_MS } from './worker.ts'

/** Permits that were not renewed for this long are not used: the others take a silent worker for dead a second later. */
const VALID_MS = DEAD_AFTER_MS - 1000
/** A worker that lost its network in the middle must not keep the others from renewing theirs: what it read is out of date by then. */
const LOCK = `
  set local idle_in_transaction_session_timeout = '${VALID_MS - 1000}ms';
  select pg_advisory_xact_lock(hashtextextended('sonant permits', 0))`
/** The transaction may have waited for the lock longer than a dead worker is waited for: its beginning is then older than the last heartbeat. */
const GRANT = 'update worker set permits = $2, heartbeat_at = greatest(heartbeat_at, now()) where id = $1'
const NO_REQUESTS = { inUse: 0, waiting: 0 }

/** What limits this process at one server. */
interface Gate {
  readonly slots: Semaphore
  readonly queue: ServerQueue
}

/**
 * What of each server's `max_in_flight` this process may use: requests, of which a long text has many at once. The limits of all servers, of
 * speech and of generations alike, are shared out between the living workers that take jobs for them, one worker at a time, and each writes
 * down what it may use before it uses it. A worker that joins gets its share as the others' requests end; what a dead one wrote down is free
 * again with its jobs, and not before. A worker's own server is its alone: nothing of it is shared out.
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

  /**
   * @param queues those that this worker takes jobs from now; none once it is stopping
   * @param owned those whose jobs its own server takes now; none while that cannot
   */
  constructor(
    runtime: Pick<Runtime, 'catalog' | 'db' | 'workerId'>,
    queues: () => readonly string[],
    owned: () => readonly string[] = () => [],
  ) {
    this.#runtime = runtime
    this.#queues = queues
    this.#ownedLimit = () => ownedServerLimit(runtime.catalog.current, new Set(owned()))
  }

  /** Limits the requests to a server. */
  slotsAt(server: string): Semaphore {
    return this.#gateAt(server).slots
  }

  /** The queues of a kind's jobs at the servers that work on them. */
  serverQueuesOf(kind: JobKind): ServerQueues {
    const limits = () => serverLimits(this.#runtime.catalog.current, kind)
    return {
      capacities: () => new Map([...limits().keys()].map((name) => [name, this.#gateAt(name).queue.capacity])),
      at: (server) => (limits().has(server) ? this.#gateAt(server).queue : undefined),
      watch: (poll) => void this.#watchers.set(kind.queue, poll),
    }
  }

  /** Requests that this process may have open now at the servers of a kind's jobs. */
  countOf(kind: JobKind): number {
    const servers = serverLimits(this.#runtime.catalog.current, kind).keys()
    return [...servers].reduce((sum, server) => sum + this.#permitsAt(server), 0)
  }

  /** How much of each server's limit this process may use, and uses. */
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

  /** The worker's own server is ready. */
  grantOwned(): void {
    const { slots, queue } = this.#gateAt(OWNED_SERVER)
    slots.grant()
    queue.grantMore()
  }

  /** Shares the limits out again: to be called with every heartbeat of this worker, and when its pools or the catalog changed. */
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
    const queue = new ServerQueue({ limit: () => this.#permitsAt(server), onCapacity })
    // A job that was let in while this worker's part was larger keeps its place: no other worker can use it until the job has left.
    const gate = { slots: new Semaphore(() => this.#permitsAt(server, queue.inUse)), queue }
    this.#gates.set(server, gate)
    if (server !== OWNED_SERVER && this.#shares.size > 0 && !this.#shares.has(server))
      void this.renew().catch(() => undefined)
    return gate
  }

  #pollQueuesOf(server: string): void {
    for (const queue of serverQueues(this.#runtime.catalog.current, server)) this.#watchers.get(queue)?.()
  }

  #useOf(server: string): { inUse: number; busy: boolean } {
    const { slots, queue } = this.#gates.get(server) ?? { slots: NO_REQUESTS, queue: NO_REQUESTS }
    const inUse = Math.max(slots.inUse, queue.inUse)
    return { inUse, busy: inUse + slots.waiting > 0 }
  }

  async #renew(): Promise<void> {
    const begun = performance.now()
    if (this.#gates.size === 0 && serverLimits(this.#runtime.catalog.current).size === 0) return
    this.#shares = await inTransaction(this.#runtime.db, (tx) => this.#writeShares(tx))
    this.#validUntil = begun + VALID_MS
    // Also where nothing has grown: the old permits may have run out meanwhile.
    for (const { slots, queue } of this.#gates.values()) {
      slots.grant()
      queue.grantMore()
    }
  }

  async #writeShares(tx: Tx): Promise<Map<string, Share>> {
    const { workerId } = this.#runtime
    await tx.query(LOCK)
    const next = this.#shareAll(await readPeers(tx, workerId))
    // Until it is known to be written, no more is used than both the old and the new permits allow.
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
    // A server that nothing names any more may still have work of this process.
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

const lower = (next: Share, last: Share | undefined): Share => ({
  fair: Math.min(next.fair, last?.fair ?? 0),
  permits: Math.min(next.permits, last?.permits ?? 0),
})
