import type { Semaphore } from '../concurrency/semaphore.ts'
import { CircuitBreaker } from './circuit-breaker.ts'

/** What all workflows on one server share. */
export interface CogServer {
  /** Without the trailing slash. */
  readonly baseUrl: string
  /** Lets predictions in. One that is polled is in until it has ended or its cancellation was answered. */
  readonly slots: Semaphore
  readonly breaker: CircuitBreaker
  /** Calls `release`, which frees the slot, once `gone` has settled: the server then holds nothing of the prediction. */
  releaseAfter(gone: Promise<void>, release: () => void): void
}

/** Every server that this process runs predictions on. */
export interface CogServers {
  at(baseUrl: string): CogServer
  /** Resolves when no slot is about to be released. */
  left(): Promise<void>
}

/** @param slotsAt lets the predictions of a server in */
export function openCogServers(slotsAt: (baseUrl: string) => Semaphore): CogServers {
  const breakers = new Map<string, CircuitBreaker>()
  const releasing = new Set<Promise<void>>()
  const breakerAt = (baseUrl: string): CircuitBreaker => {
    const breaker = breakers.get(baseUrl) ?? new CircuitBreaker()
    breakers.set(baseUrl, breaker)
    return breaker
  }
  const releaseAfter: CogServer['releaseAfter'] = (gone, release) => {
    const left = gone.then(release, release).finally(() => releasing.delete(left))
    releasing.add(left)
  }
  return {
    at: (baseUrl) => ({ baseUrl, slots: slotsAt(baseUrl), breaker: breakerAt(baseUrl), releaseAfter }),
    left: async () => {
      await Promise.all(releasing)
    },
  }
}
