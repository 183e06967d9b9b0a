import { WindowCounter } from '../concurrency/window-counter.ts'
import { ServiceError } from '../errors/service-error.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'

const WINDOW_MS = 60_000
const MAX_CALLERS = 50_000

interface Quota {
  readonly headers: Readonly<Record<string, string>>
  readonly error: ServiceError | null
}

/** Counts requests per key in fixed windows of 60 s, in this process. */
export interface RateLimit {
  count(callerId: string): Quota
  readonly size: number
}

const UNLIMITED: Quota = { headers: {}, error: null }

export function createRateLimit(perMinute: number, telemetry: Telemetry = NO_TELEMETRY): RateLimit {
  if (perMinute === 0) return { count: () => UNLIMITED, size: 0 }
  const counter = new WindowCounter({ windowMs: WINDOW_MS, maxKeys: MAX_CALLERS })
  const policy = `"default";q=${perMinute};w=${WINDOW_MS / 1000}`
  return {
    count: (callerId) => {
      const { count, msLeft } = counter.add(callerId)
      const seconds = Math.max(1, Math.ceil(msLeft / 1000))
      const left = Math.max(0, perMinute - count)
      const headers = { 'ratelimit-policy': policy, ratelimit: `"default";r=${left};t=${seconds}` }
      if (count <= perMinute) return { headers, error: null }
      telemetry.count('rate_limited_total', {})
      return { headers, error: rateLimited(seconds) }
    },
    get size() {
      return counter.size
    },
  }
}

const rateLimited = (retryAfterSeconds: number) =>
  new ServiceError('RATE_LIMITED', 'Wait for the seconds in Retry-After before the next request.', {
    retryAfterSeconds,
  })
