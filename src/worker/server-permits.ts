import { embeddedSlots, ownedServerLimit, serverLimits, serverQueues, serverRoutes } from '../catalog/engine-server.ts'
import { jobKinds, SHARED_QUEUES, serversOfRoute } from '../catalog/job-kinds.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { OWNED_SERVER } from '../engines/engine-block.ts'
import { type JobKind, poolOfQueue, voiceKind } from '../queue/job-kind.ts'
import { ServerQueue, type ServerQueues } from '../queue/server-queue.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { DEAD_AFTER_MS } from './workers.ts'

/** Workers stop using permits a second before others take them for dead. */
const VALID_MS = DEAD_AFTER_MS - 1000
const EXPIRED =
  'permits have expired: this worker sends no request to servers with a limit until PostgreSQL renews them'
const SHARE = `select server, fair, permits from share_servers($1, $2, $3, $4 * interval '1 millisecond', $5)`

/** The jobs of this process that wait for the servers of one route, or are let in to them. */
interface ServerQueuePair {
  readonly awaited: ServerQueue
  readonly others: ServerQueue
}

interface Asked {
  readonly name: string
  readonly limit: number
  readonly pools: readonly string[]
  /** Every worker serves it. */
  readonly shared: boolean
  /** This worker uses no more permits until it has the answer. */
  readonly kept: number
  readonly rest: number
}

type PermitRuntime = Pick<Runtime, 'catalog' | 'db' | 'workerId' | 'log' | 'telemetry'>

interface Share {
  /** Its part of the limit, reached as others release permits. */
  readonly fair: number
  /** Usable now: all workers' permits together never exceed the limit. */
  readonly permits: number
}

type Granted = Share & { readonly server: string }

/**
 * This process's permits (concurrent requests) for each server's `max_in_flight`. One statement shares out the servers that this worker
 * serves or uses, under a lock for each, and writes the permits before this worker uses them. A dead worker's permits become free with its
 * jobs. An owned server is not shared.
 */
export class ServerPermits {
  readonly #runtime: PermitRuntime
  readonly #pools: () => readonly string[]
  readonly #ownedLimit: () => number
  readonly #slots = new Map<string, Semaphore>()
  readonly #routes = new Map<string, ServerQueuePair>()
  readonly #watchers = new Map<string, () => void>()
  #shares = new Map<string, Share>()
  #validUntil = Number.NEGATIVE_INFINITY
  #renewing: Promise<void> = Promise.resolve()
  #turn = 0
  #peers = ''
  #expiry: NodeJS.Timeout | undefined
  #hasExpired = false

  constructor(
    runtime: PermitRuntime,
    pools: () => readonly string[],
    owned: () => readonly string[] = () => [],
    mostOwned: () => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.#runtime = runtime
    this.#pools = pools
    this.#ownedLimit = () =>
      Math.min(mostOwned(), ownedServerLimit(runtime.catalog.current, new Set(queuesOf(owned()))))
  }

  slotsAt(server: string): Semaphore {
    const known = this.#slots.get(server)
    if (known !== undefined) return known
    // Jobs admitted under a larger share keep their permits until they end.
    const slots = new Semaphore(() => this.#permitsAt(server, this.#letInAt(server)))
    this.#slots.set(server, slots)
    if (server !== OWNED_SERVER && this.#shares.size > 0 && !this.#shares.has(server))
      void this.renew().catch(() => undefined)
    return slots
  }

  serverQueuesOf(kind: JobKind): ServerQueues {
    const routes = () => serverRoutes(this.#runtime.catalog.current, kind)
    return {
      capacities: (isAwaited) =>
        new Map([...routes()].map((route) => [route, this.#queueAt(route, isAwaited).capacity])),
      at: (route, isAwaited) => (routes().has(route) ? this.#queueAt(route, isAwaited) : undefined),
      watch: (poll) => void this.#watchers.set(kind.queue, poll),
    }
  }

  countOf(kind: JobKind): number {
    return this.#permitsOver([...serverLimits(this.#runtime.catalog.current, kind).keys()])
  }

  servers(): readonly {
    readonly server: string
    readonly inUse: number
    readonly permits: number
    readonly limit: number
  }[] {
    const limits = serverLimits(this.#runtime.catalog.current)
    return [...this.#slots.keys()].map((server) => {
      const inUse = this.#inUseAt(server)
      return { server, inUse, permits: this.#permitsAt(server), limit: limits.get(server) ?? 0 }
    })
  }

  grantOwned(): void {
    this.#grantMore()
  }

  /**
   * Shares the limits anew on a change, and in time before the permits end. The worker calls it after each heartbeat.
   * @param peers another text once a worker of the same pools has come, gone or changed its pools
   */
  async follow(peers: string): Promise<void> {
    const isHalfOver = performance.now() > this.#validUntil - VALID_MS / 2
    const isUnsettled = [...this.#shares.values()].some(({ fair, permits }) => fair !== permits)
    if (!isHalfOver && !isUnsettled && peers === this.#peers) return
    await this.renew()
    this.#peers = peers
  }

  /** Shares the limits anew. The worker calls it after each change of pools or catalog. */
  renew(): Promise<void> {
    const renewed = this.#renewing.then(() => this.#renew())
    this.#renewing = renewed.catch(() => undefined)
    return renewed
  }

  /** The end of the worker, whose permits then may end unnoticed. */
  close(): void {
    clearTimeout(this.#expiry)
  }

  #permitsAt(server: string, letIn = 0): number {
    if (server === OWNED_SERVER) return this.#ownedLimit()
    const share = performance.now() < this.#validUntil ? this.#shares.get(server) : undefined
    return share === undefined ? 0 : Math.min(Math.max(share.fair, letIn), share.permits)
  }

  #permitsOver(servers: readonly string[]): number {
    return servers.reduce((sum, server) => sum + this.#permitsAt(server), 0)
  }

  #queueAt(route: string, isAwaited: boolean): ServerQueue {
    const { awaited, others } = this.#routes.get(route) ?? this.#openRoute(route)
    return isAwaited ? awaited : others
  }

  #openRoute(route: string): ServerQueuePair {
    const servers = serversOfRoute(route)
    const options = { limit: () => this.#permitsOver(servers), onCapacity: () => this.#pollQueuesOf(route) }
    const pair = { awaited: new ServerQueue(options), others: new ServerQueue(options) }
    this.#routes.set(route, pair)
    for (const server of servers) this.slotsAt(server)
    return pair
  }

  #pollQueuesOf(route: string): void {
    for (const [queue, poll] of this.#watchers) {
      if (serverRoutes(this.#runtime.catalog.current, { queue }).has(route)) poll()
    }
  }

  /** Requests that jobs of its routes were let in for; 0 while the fair parts are enough for them. */
  #letInAt(server: string): number {
    const letIn = this.#routesOf(server).map(({ jobs, servers }) => {
      const excess = jobs - this.#permitsOver(servers)
      return excess > 0 ? this.#permitsAt(server) + excess : 0
    })
    return Math.max(0, ...letIn)
  }

  #routesOf(server: string): { readonly jobs: number; readonly servers: readonly string[] }[] {
    return [...this.#routes].flatMap(([route, pair]) => {
      const servers = serversOfRoute(route)
      return servers.includes(server) ? [{ jobs: letInBy(pair), servers }] : []
    })
  }

  #inUseAt(server: string): number {
    return Math.max(this.#slots.get(server)?.inUse ?? 0, this.#letInAt(server))
  }

  /** The permits that requests and jobs of this process need, without those that would only let in more. */
  #neededAt(server: string): number {
    const { inUse = 0, waiting = 0 } = this.#slots.get(server) ?? {}
    const jobs = this.#routesOf(server).map(({ jobs, servers }) => Math.ceil(jobs / servers.length))
    return Math.max(inUse, waiting > 0 ? 1 : 0, ...jobs)
  }

  async #renew(): Promise<void> {
    await this.#share()
    const isAbove = [...this.#shares].some(([server, { permits }]) => this.#keptAt(server) < permits)
    // The second time tells the others that this worker already uses fewer.
    if (isAbove) await this.#share()
  }

  async #share(): Promise<void> {
    const asked = this.#askedServers()
    if (asked.length === 0 && this.#shares.size === 0) return
    const names = new Set(asked.map(({ name }) => name))
    this.#shares = new Map([...this.#shares].filter(([server]) => names.has(server)))
    const begun = performance.now()
    const values = [this.#runtime.workerId, ++this.#turn, this.#pools(), DEAD_AFTER_MS, JSON.stringify(asked)]
    const { rows } = await this.#runtime.db.pool.query<Granted>({ name: 'share_servers', text: SHARE, values })
    if (rows.length < asked.length) throw new Error('this worker is not registered')
    this.#shares = new Map(rows.map(({ server, ...share }) => [server, share]))
    this.#validate(begun)
    this.#grantMore()
  }

  #askedServers(): Asked[] {
    const servers = this.#runtime.catalog.current
    const limits = serverLimits(servers)
    const served = queuesOf(this.#pools()).flatMap((queue) => [...serverLimits(servers, { queue }).keys()])
    const names = new Set([...served, ...this.#slots.keys()])
    names.delete(OWNED_SERVER)
    return [...names].map((name) => {
      const needed = this.#neededAt(name)
      const queues = serverQueues(servers, name)
      return {
        name,
        limit: limits.get(name) ?? Math.max(1, needed),
        pools: [...queues].flatMap((queue) => poolOfQueue(queue) ?? []),
        shared: SHARED_QUEUES.some((queue) => queues.has(queue)),
        kept: this.#keptAt(name),
        rest: needed,
      }
    })
  }

  #keptAt(server: string): number {
    const inUse = this.#inUseAt(server)
    return Math.max(inUse, this.#permitsAt(server, inUse))
  }

  #grantMore(): void {
    for (const slots of this.#slots.values()) slots.grant()
    for (const { awaited, others } of this.#routes.values()) {
      awaited.grantMore()
      others.grantMore()
    }
  }

  #validate(begun: number): void {
    const { log, telemetry } = this.#runtime
    this.#validUntil = begun + VALID_MS
    const leftMs = this.#validUntil - performance.now()
    if (leftMs <= 0) return
    if (this.#hasExpired) log.info('the permits of this worker are renewed')
    this.#hasExpired = false
    clearTimeout(this.#expiry)
    if (this.#shares.size === 0) return
    this.#expiry = setTimeout(() => {
      this.#hasExpired = true
      telemetry.count('engine_permits_expired_total', {})
      log.warn({ servers: this.#shares.size }, EXPIRED)
    }, leftMs)
    this.#expiry.unref()
  }
}

/** Requests that the jobs of either queue may have at once: both share the permits. */
const letInBy = ({ awaited, others }: ServerQueuePair): number => Math.max(awaited.inUse, others.inUse)

/** Queues of a worker with these pools; a stopping worker has none, any other also generates. */
const queuesOf = (pools: readonly string[]): string[] =>
  pools.length === 0 ? [] : jobKinds(pools).map(({ queue }) => queue)

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
