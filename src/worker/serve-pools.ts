import { poolOf } from '../catalog/voice-endpoint.ts'
import { SingleFlight } from '../concurrency/single-flight.ts'
import { CATALOG_CHANNEL } from '../context/catalog-snapshot.ts'
import type { Dispatcher } from '../queue/dispatcher.ts'
import { voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'

const VOICE_QUEUES = voiceKind('').queue

export interface Pools extends Pick<Dispatcher, 'inFlight' | 'leaveServers' | 'leaveServer' | 'stop'> {
  readonly names: readonly string[]
  inFlightOf(pool: string): number
}

/** Serves the named pools; without names every pool of the catalog, also new ones, and every pool left with a queue. */
export async function servePools(
  runtime: Runtime,
  names: readonly string[] | undefined,
  dispatch: (pool: string) => Promise<Dispatcher>,
): Promise<Pools> {
  const pools = new ServedPools(runtime, dispatch)
  await (names === undefined ? pools.follow() : pools.serve(names))
  return pools
}

class ServedPools implements Pools {
  readonly #runtime: Runtime
  readonly #dispatchers: SingleFlight<Dispatcher>
  readonly #open = new Map<string, Dispatcher>()
  #unlisten = (): void => undefined
  #stopping = false

  constructor(runtime: Runtime, dispatch: (pool: string) => Promise<Dispatcher>) {
    this.#runtime = runtime
    this.#dispatchers = new SingleFlight(async (pool) => {
      const dispatcher = await dispatch(pool)
      this.#open.set(pool, dispatcher)
      return dispatcher
    })
  }

  get names(): string[] {
    return this.#dispatchers.keys.sort()
  }

  get inFlight(): number {
    return [...this.#open.values()].reduce((sum, dispatcher) => sum + dispatcher.inFlight, 0)
  }

  inFlightOf(pool: string): number {
    return this.#open.get(pool)?.inFlight ?? 0
  }

  async serve(pools: readonly string[]): Promise<void> {
    await Promise.all(pools.map((pool) => this.#dispatchers.get(pool)))
  }

  async follow(): Promise<void> {
    const { boss, notifier, log } = this.#runtime
    const left = (await boss.getQueues()).flatMap(({ name }) =>
      name.startsWith(VOICE_QUEUES) ? [name.slice(VOICE_QUEUES.length)] : [],
    )
    const again = (): void => {
      this.#serveCatalog(left).catch((error: Error) => log.warn({ err: error.message }, 'a new pool is not served yet'))
    }
    this.#unlisten = await notifier.listen(CATALOG_CHANNEL, again, again)
    await this.#serveCatalog(left)
  }

  leaveServers(): void {
    for (const dispatcher of this.#open.values()) dispatcher.leaveServers()
  }

  leaveServer(server: string, reason: Error): void {
    for (const dispatcher of this.#open.values()) dispatcher.leaveServer(server, reason)
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    this.#unlisten()
    const all = await Promise.all(this.#dispatchers.all.map((started) => started.catch(() => null)))
    await Promise.all(all.map((dispatcher) => dispatcher?.stop(graceMs)))
  }

  async #serveCatalog(left: readonly string[]): Promise<void> {
    const { catalog } = this.#runtime
    await catalog.reload()
    if (this.#stopping) return
    const named = [...catalog.current.endpoints.values()].map(poolOf)
    await this.serve([...new Set([...named, ...left])])
  }
}
