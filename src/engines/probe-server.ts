import { EngineError, FailedAttempt } from './engine.ts'
import { isAway, isBusy } from './server-status.ts'

export const PROBE_MS = 2500
const NOT_IMPLEMENTED = 501

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  ENOTFOUND: 'there is no such name',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${PROBE_MS / 1000} s`,
}

/** @throws EngineError PROVIDER_UNAVAILABLE if the server or its proxy reports an outage */
export function requireLiving(baseUrl: string, status: number, words: string): void {
  if (status === NOT_IMPLEMENTED || !isAway(status) || isBusy(status, words)) return
  throw away(`${status} was answered`, baseUrl)
}

/** @throws EngineError PROVIDER_UNAVAILABLE if the error means an outage */
export function throwIfAway(baseUrl: string, error: unknown): void {
  if (!(error instanceof EngineError)) {
    const isLate = (error as { name?: unknown } | null)?.name === 'TimeoutError'
    throw away(isLate ? `no answer within ${PROBE_MS / 1000} s` : 'no answer', baseUrl, error)
  }
  if (error.code !== 'PROVIDER_UNAVAILABLE' || error instanceof FailedAttempt) return
  const { code } = (error.cause ?? {}) as { code?: string }
  if (code === undefined) throw error
  throw away(REASONS[code] ?? `no connection (${code})`, baseUrl, error)
}

/** Removes secrets from the address. */
function away(reason: string, baseUrl: string, cause?: unknown): EngineError {
  const { origin, pathname } = new URL(baseUrl)
  const place = `${origin}${pathname}`.replace(/\/+$/, '')
  return new EngineError('PROVIDER_UNAVAILABLE', `${reason} at ${place}`, { cause })
}
