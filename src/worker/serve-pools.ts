import { poolOf } from '../catalog/voice-endpoint.ts'
import { SingleFlight } from '../concurrency/single-flight.ts'
import { CATALOG_CHANNEL } from '../context/catalog-snapshot.ts'
import type { Dispatcher } from '../queue/dispatcher.ts'
import { voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'

const VOICE_QUEUES = voiceKind('').queue

/** The dispatchers of one worker, one a pool. */
interface Pools {
  readonly names: readonly string[]
  readonly inFlight: number
  /** See `Dispatcher`. */
  leaveServers(): void
  stop(graceMs: number): Promise<void>
}

/**
 * Serves the named pools; without names, every pool of the catalog, a new one as soon as an endpoint names it, and every pool that no
 * endpoint names any more: its last jobs may still wait.
 */
export async function servePools(
  runtime: Runtime,
  names: readonly string[] | undefined,
  dispatch: (pool: string) => Promise<Dispatcher>,
): Promise<Pools> {
  const queues = (await runtime.boss.getQueues()).map(({ name }) => name)
  const left = queues.filter((name) => name.startsWith(VOICE_QUEUES)).map((name) => name.slice(VOICE_QUEUES.length))
  const open: Dispatcher[] = []
  let stopping = false
  const dispatchers = new SingleFlight(async (pool) => {
    const dispatcher = await dispatch(pool)
    open.push(dispatcher)
    return dispatcher
  })
  const serve = (pool: string): Promise<Dispatcher> => dispatchers.get(pool)
  const follow = async (): Promise<void> => {
    await runtime.catalog.reload()
    if (stopping) return
    const named = [...runtime.catalog.current.endpoints.values()].map(poolOf)
    await Promise.all([...new Set([...named, ...left])].map(serve))
  }
  const followGuarded = (): void => {
    follow().catch((error: Error) => runtime.log.warn({ err: error.message }, 'a new pool is not served yet'))
  }
  let unlisten = (): void => undefined
  if (names === undefined) {
    unlisten = await runtime.notifier.listen(CATALOG_CHANNEL, followGuarded, followGuarded)
    await follow()
  } else {
    await Promise.all(names.map(serve))
  }
  return {
    get names() {
      return dispatchers.keys.sort()
    },
    get inFlight() {
      return open.reduce((sum, dispatcher) => sum + dispatcher.inFlight, 0)
    },
    leaveServers: () => {
      for (const dispatcher of open) dispatcher.leaveServers()
    },
    stop: async (graceMs) => {
      stopping = true
      unlisten()
      const all = await Promise.all(dispatchers.all.map((started) => started.catch(() => null)))
      await Promise.all(all.map((dispatcher) => dispatcher?.stop(graceMs)))
    },
  }
}
