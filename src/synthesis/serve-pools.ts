import { poolOf, type VoiceEndpoint } from '../endpoints/voice-endpoint.ts'
import { type Dispatcher, dispatchJobs } from '../queue/dispatch-jobs.ts'
import { voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime.ts'

/** How soon a pool that an operator adds is served. */
const POOLS_MS = 250
const VOICE_QUEUES = voiceKind('').queue

export interface PoolOptions {
  /** How many texts the embedded engine speaks at once. */
  readonly threads: number
  handle(jobId: string, signal: AbortSignal): Promise<void>
}

/** Takes the voice jobs of every pool, also of one that an operator adds later, and of one that no endpoint names any more. */
export async function servePools(runtime: Runtime, { threads, handle }: PoolOptions): Promise<Dispatcher> {
  const dispatchers = new Map<string, Promise<Dispatcher>>()
  const queues = (await runtime.boss.getQueues()).map(({ name }) => name)
  const left = queues.filter((name) => name.startsWith(VOICE_QUEUES)).map((name) => name.slice(VOICE_QUEUES.length))
  const serveNew = (): Promise<unknown> => {
    const endpoints = [...runtime.catalog.current.endpoints.values()]
    for (const pool of new Set([...left, ...endpoints.map(poolOf)])) {
      if (dispatchers.has(pool)) continue
      const slots = slotsOf(pool, endpoints, threads)
      const started = dispatchJobs({ ...runtime, kind: voiceKind(pool), slots, handle })
      dispatchers.set(pool, started)
      started.catch(() => dispatchers.delete(pool))
    }
    return Promise.all(dispatchers.values())
  }
  const warn = (error: Error) => runtime.log.warn({ err: error.message }, 'a pool is not served yet; trying again')
  await serveNew()
  const timer = setInterval(() => void serveNew().catch(warn), POOLS_MS)
  return {
    stop: async (graceMs) => {
      clearInterval(timer)
      const started = await Promise.allSettled(dispatchers.values())
      await Promise.all(started.map((one) => (one.status === 'fulfilled' ? one.value.stop(graceMs) : undefined)))
    },
  }
}

/**
 * One more than can be rendered at once: while one job is stored and committed, no thread and no server waits for it. Each server's
 * own `max_in_flight` holds beside that.
 */
function slotsOf(pool: string, endpoints: readonly VoiceEndpoint[], threads: number): number {
  const mine = endpoints.filter((endpoint) => poolOf(endpoint) === pool).map(({ engine }) => engine)
  const servers = new Map(mine.map((engine) => [engine.base_url ?? null, engine.max_in_flight]))
  const inFlight = [...servers].map(([server, most]) => (server !== null && typeof most === 'number' ? most : threads))
  return Math.max(
    inFlight.reduce((sum, most) => sum + most, 1),
    threads + 1,
  )
}
