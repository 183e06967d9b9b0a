import type { Semaphore } from '../concurrency/semaphore.ts'
import { CircuitBreaker } from './circuit-breaker.ts'

/** What all workflows on one server share. */
export interface CogServer {
  /** Without the trailing slash. */
  readonly baseUrl: string
  /** Lets predictions in. One that is polled is in until it has ended or its cancellation was answered. */
  readonly slots: Semaphore
  readonly breaker: CircuitBreaker
  /** Calls `leave`, which releases the slot, once `gone` has settled: the server then holds nothing of the prediction. */
  leaveAfter(gone: Promise<void>, leave: () => void): void
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
  const leaving = new Set<Promise<void>>()
  const breakerAt = (baseUrl: string): CircuitBreaker => {
    const breaker = breakers.get(baseUrl) ?? new CircuitBreaker()
    breakers.set(baseUrl, breaker)
    return breaker
  }
  const leaveAfter: CogServer['leaveAfter'] = (gone, leave) => {
    const left = gone.then(leave, leave).finally(() => leaving.delete(left))
    leaving.add(left)
  }
  return {
    at: (baseUrl) => ({ baseUrl, slots: slotsAt(baseUrl), breaker: breakerAt(baseUrl), leaveAfter }),
    left: async () => {
      await Promise.all(leaving)
    },
  }
}
