import { Agent, type Dispatcher } from 'undici'
import { openSpeechReader, type SpeechReader } from '../audio/speech-reader.ts'
import type { Semaphore } from '../concurrency/semaphore.ts'
import { sharedResolver, systemResolver } from '../egress/resolver.ts'
import { systemLookup } from '../egress/system-lookup.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import type { OwnedServer } from './owned-server.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** What all endpoints on one server share: its connections, its slots, and whether it is up. */
export interface SpeechServer {
  readonly baseUrl: string
  readonly slots: Semaphore
  readonly breaker: CircuitBreaker
  readonly agent: Dispatcher
  readonly owned: OwnedServer | undefined
  /** Decodes the server's answers. */
  readonly reader: SpeechReader
  /** It has answered that it does not tell when its words are heard. */
  lacksTimes: boolean
  close(): Promise<void>
}

/**
 * @param slots let in the requests to it
 * @param owned where it is the worker's own
 */
export function openSpeechServer(baseUrl: string, slots: Semaphore, owned?: OwnedServer): SpeechServer {
  // No timeouts of its own besides the connection's: a long text takes as long as the job's time limit allows.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS, lookup: systemLookup(sharedResolver(systemResolver())) },
  })
  const reader = openSpeechReader()
  return {
    baseUrl,
    slots,
    breaker: new CircuitBreaker(),
    agent,
    owned,
    reader,
    lacksTimes: false,
    close: async () => {
      await Promise.all([agent.destroy(), reader.close()])
    },
  }
}
