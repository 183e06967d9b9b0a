import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../errors.ts'

const WINDOW_SECONDS = 60

/** What a key has left of its window. */
interface Allowance {
  readonly headers: Readonly<Record<string, string>>
  /** Null while the key may go on. */
  readonly refusal: ServiceError | null
}

/** Counts the requests of each key in fixed windows of 60 seconds, in this process. */
export interface RateLimit {
  count(apiKeyId: string): Promise<Allowance>
}

const UNLIMITED: Allowance = { headers: {}, refusal: null }

/** `perMinute` requests a minute and key (contract.md section 4); 0 counts nothing and sends no headers. */
export function createRateLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return { count: async () => UNLIMITED }
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS })
  const policy = `"default";q=${perMinute};w=${WINDOW_SECONDS}`
  return {
    count: async (apiKeyId) => {
      const { state, refused } = await consume(limiter, apiKeyId)
      const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000))
      const headers = { 'ratelimit-policy': policy, ratelimit: `"default";r=${state.remainingPoints};t=${seconds}` }
      return { headers, refusal: refused ? rateLimited(seconds) : null }
    },
  }
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<{ state: RateLimiterRes; refused: boolean }> {
  try {
    return { state: await limiter.consume(key), refused: false }
  } catch (state) {
    if (state instanceof RateLimiterRes) return { state, refused: true }
    throw state
  }
}

const rateLimited = (retryAfterSeconds: number) =>
  new ServiceError('RATE_LIMITED', 'Wait for the seconds in Retry-After before the next request.', {
    retryAfterSeconds,
  })
