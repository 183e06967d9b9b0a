import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../errors.ts'

const WINDOW_SECONDS = 900
/** Wrong passwords of one person from one address. */
const MAX_FAILURES = 5
/** Wrong passwords of one person from everywhere: far more, so that nobody can lock another out from one address. */
const MAX_FAILURES_OF_PERSON = 100
const MAX_FAILURES_FROM_ADDRESS = 50
/** Each takes a thread and 19 MiB; the others wait. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 50

/** Slows down whoever guesses passwords. Counts per process, as rate limits do. */
export interface SignInThrottle {
  /** Runs one try; false means that the password was wrong. @throws RATE_LIMITED instead, after too many of those */
  attempt(email: string, address: string, work: () => Promise<boolean>): Promise<boolean>
}

export function openSignInThrottle(): SignInThrottle {
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_SECONDS })
  const [pairs, people, addresses] = [
    limiter(MAX_FAILURES),
    limiter(MAX_FAILURES_OF_PERSON),
    limiter(MAX_FAILURES_FROM_ADDRESS),
  ]
  const turns = openTurns()
  return {
    attempt: async (email, address, work) => {
      const pair = `${address} ${email}`
      const counted = [
        [pairs, pair],
        [people, email],
        [addresses, address],
      ] as const
      // Counted before the work: many tries at once are not free. What was right is taken back.
      for (const [limit, key] of counted) await consume(limit, key)
      const right = await turns(work)
      if (right) {
        await pairs.delete(pair)
        await Promise.all([people.reward(email), addresses.reward(address)])
      }
      return right
    },
  }
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (state) {
    if (!(state instanceof RateLimiterRes)) throw state
    throw tooMany(Math.max(1, Math.ceil(state.msBeforeNext / 1000)))
  }
}

function openTurns(): (work: () => Promise<boolean>) => Promise<boolean> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (waiting.length >= MAX_WAITING) throw tooMany(1)
    if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}

const tooMany = (retryAfterSeconds: number) =>
  new ServiceError('RATE_LIMITED', 'Wait before you try to sign in again.', { retryAfterSeconds })
