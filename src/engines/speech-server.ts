import { Agent, type Dispatcher } from 'undici'
import { openSpeechReader, type SpeechReader } from '../audio/speech-reader.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { systemLookup } from '../egress/system-lookup.ts'
import type { OwnedServer } from './engine-block.ts'
import { CircuitBreaker } from './retry.ts'

const CONNECT_TIMEOUT_MS = 10_000

export interface SpeechServer {
  readonly baseUrl: string
  readonly slots: Semaphore
  readonly breaker: CircuitBreaker
  readonly agent: Dispatcher
  readonly owned: OwnedServer | undefined
  readonly reader: SpeechReader
  /** The lowest limit of the endpoints in use; it counts only without `slots`. */
  mostAtOnce: number
  lacksTimes: boolean
  close(): Promise<void>
}

/** @param slots absent: `mostAtOnce` */
export function openSpeechServer(baseUrl: string, slots?: Semaphore, owned?: OwnedServer): SpeechServer {
  // The job's time limit replaces the agent's timeouts.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS, lookup: systemLookup() },
  })
  const reader = openSpeechReader()
  const server: SpeechServer = {
    baseUrl,
    slots: slots ?? new Semaphore(() => server.mostAtOnce),
    breaker: new CircuitBreaker(),
    agent,
    owned,
    reader,
    mostAtOnce: 1,
    lacksTimes: false,
    close: async () => {
      await Promise.all([agent.destroy(), reader.close()])
    },
  }
  return server
}
