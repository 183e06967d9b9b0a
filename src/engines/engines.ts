import { Semaphore } from '../concurrency/semaphore.ts'
import type { Log } from '../values/log.ts'
import type { SpeechEngine } from './engine.ts'
import { type EngineBlock, engineBlock, type OpenaiSpeechBlock } from './engine-block.ts'
import { openEspeak } from './espeak/espeak.ts'
import type { SpeechServer } from './openai-speech.ts'

/** A server that was not used for this long is forgotten. */
const IDLE_MS = 60_000

/** Every engine that this process renders with, made from endpoints' `engine` blocks when they are used. */
export interface Engines {
  /** Lends the engine of a block for as long as `work` takes. @throws what `work` throws; ZodError for a block that is none */
  use<T>(block: unknown, work: (engine: SpeechEngine) => Promise<T>): Promise<T>
  /** Has the embedded engine ready before its first text. Never rejects. */
  warm(): Promise<void>
  close(): Promise<void>
}

interface EngineOptions {
  /** How many renderings the embedded engine runs at once: one a core. */
  readonly threads: number
  readonly log: Log
  /** Reads an environment variable, for API keys. */
  readonly lookUp: (name: string) => string | undefined
  /** Where another component limits the requests to a server; absent: the lowest limit of the blocks in use. */
  readonly slotsAt?: (baseUrl: string) => Semaphore
  /** How long a server's connections are kept without use, in milliseconds. */
  readonly idleMs?: number
}

/** A server with the number of those who use it. */
interface Lease {
  readonly server: SpeechServer
  users: number
  /** The lowest limit of the blocks that came since it was idle last. */
  lowest: number
  idle: NodeJS.Timeout | undefined
}

export function openEngines(options: EngineOptions): Engines {
  const espeak = openEspeak(options)
  const leases = new Map<string, Lease>()

  /** Endpoints on one server share it, and the lowest of their limits. */
  const useServer = async <T>(block: OpenaiSpeechBlock, work: (engine: SpeechEngine) => Promise<T>): Promise<T> => {
    // Only where there is such an endpoint: loading an HTTP client makes every start slower.
    const { openOpenaiSpeech, openSpeechServer } = await import('./openai-speech.ts')
    const key = block.base_url
    const lease = leases.get(key) ?? {
      server: openSpeechServer(key, options.slotsAt?.(key) ?? new Semaphore(() => leases.get(key)?.lowest ?? 1)),
      users: 0,
      lowest: block.max_in_flight,
      idle: undefined,
    }
    leases.set(key, lease)
    lease.lowest = lease.users === 0 ? block.max_in_flight : Math.min(lease.lowest, block.max_in_flight)
    lease.users++
    clearTimeout(lease.idle)
    return work(openOpenaiSpeech(block, lease.server, options.lookUp)).finally(() => {
      lease.users--
      if (lease.users === 0) lease.idle = setTimeout(() => letGo(key, lease), options.idleMs ?? IDLE_MS).unref()
    })
  }

  const letGo = (key: string, lease: Lease): void => {
    leases.delete(key)
    void lease.server.close()
  }

  return {
    use: async (given, work) => {
      const block: EngineBlock = engineBlock.parse(given)
      if (block.kind === 'espeak') return work(espeak)
      return useServer(block, work)
    },
    warm: () => espeak.warm(),
    close: async () => {
      for (const lease of leases.values()) clearTimeout(lease.idle)
      await Promise.all([espeak.close(), ...[...leases.values()].map(({ server }) => server.close())])
    },
  }
}
