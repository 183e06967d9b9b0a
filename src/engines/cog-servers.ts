import type { Semaphore } from '../concurrency/semaphore.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { type Measured, serverName } from './measure-request.ts'
import { addressOf, NO_OWNED_SERVER, OWNED_SERVER, type OwnedServer } from './owned-server.ts'

export interface CogServer {
  readonly baseUrl: string
  readonly owned?: OwnedServer | undefined
  /** A prediction holds its slot until its end or the answer to its cancellation. */
  readonly slots: Semaphore
  readonly breaker: CircuitBreaker
  readonly measured: Measured
  /** Calls `release` once `gone` has settled. */
  releaseAfter(gone: Promise<void>, release: () => void): void
}

export interface CogServers {
  /** @throws if the worker's own server does not answer */
  at(baseUrl: string): CogServer
  left(): Promise<void>
}

export function openCogServers(
  slotsAt: (baseUrl: string) => Semaphore,
  owned: OwnedServer = NO_OWNED_SERVER,
  telemetry: Telemetry = NO_TELEMETRY,
): CogServers {
  const breakers = new Map<string, CircuitBreaker>()
  const releasing = new Set<Promise<void>>()
  const breakerAt = (baseUrl: string): CircuitBreaker => {
    const breaker = breakers.get(baseUrl) ?? new CircuitBreaker()
    breakers.set(baseUrl, breaker)
    return breaker
  }
  const unread = telemetry.gauge('engine_down', () =>
    [...breakers].map(([baseUrl, { isOpen }]) => ({ labels: { server: serverName(baseUrl) }, value: Number(isOpen) })),
  )
  const releaseAfter: CogServer['releaseAfter'] = (gone, release) => {
    const left = gone.then(release, release).finally(() => releasing.delete(left))
    releasing.add(left)
  }
  return {
    at: (name) => {
      const baseUrl = addressOf(name, owned)
      const server = {
        baseUrl,
        slots: slotsAt(name),
        breaker: breakerAt(baseUrl),
        releaseAfter,
        measured: { telemetry, kind: 'cog', server: serverName(baseUrl) },
      }
      return name === OWNED_SERVER ? { ...server, owned } : server
    },
    left: async () => {
      await Promise.all(releasing)
      unread()
    },
  }
}
