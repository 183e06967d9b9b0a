import { createHash } from 'node:crypto'
import { Semaphore } from '../concurrency/semaphore.ts'
import { WindowCounter } from '../concurrency/window-counter.ts'
import type { Context } from '../context/context.ts'
import { networkOf, siteOf } from '../egress/network-of.ts'
import { ServiceError } from '../errors/service-error.ts'

const WINDOW_MS = 900_000
const MAX_FAILURES_FROM_ADDRESS = 50
/** From all IPv6 networks of one site together, of which it has 65,536. */
const MAX_FAILURES_FROM_SITE = 500
/** Wrong passwords of one user from one address. */
const MAX_FAILURES = 5
/** Wrong passwords of one user from everywhere: far more, so that one address cannot lock a user out. */
const MAX_FAILURES_OF_USER = 100
/** Of each of the counters: a few megabytes. */
const MAX_KEYS = 20_000
/** Each takes a thread and 19 MiB; the others wait. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 50
/** A check is quick: a caller that leaves while it waits is checked all the same, and counted. */
const NEVER = new AbortController().signal

/** More than any address of a user or token has. */
const MAX_NAME_CHARACTERS = 254

/** What a caller names a user by, bounded before anything is done with it: two of one length that begin alike are one name. */
export const shortened = (name: string): string => `${name.length} ${name.slice(0, MAX_NAME_CHARACTERS)}`

/** What checks of passwords need: their throttle. */
export interface SignInContext extends Context {
  readonly signIns: SignInThrottle
}

/** Slows down callers that guess passwords. Counts per process, as rate limits do. */
export interface SignInThrottle {
  /** Runs one try; false means that the password was wrong. @throws RATE_LIMITED instead, after too many of those */
  attempt<Found>(email: string, address: string, work: () => Promise<Found | false>): Promise<Found | false>
  /** How many keys it holds: bounded, whatever callers send. */
  readonly size: number
}

/** Counts the failed sign-ins of this process by address and by user. */
export function openSignInThrottle(): SignInThrottle {
  const open = () => new WindowCounter({ windowMs: WINDOW_MS, maxKeys: MAX_KEYS })
  const [sites, addresses, pairs, users] = [open(), open(), open(), open()]
  const checks = new Semaphore(() => MAX_AT_ONCE)
  return {
    attempt: async (email, address, work) => {
      const [network, site] = [networkOf(address), siteOf(address)]
      // The address first: one that is over its limit leaves no other trace.
      const limits = [
        ...(site === network ? [] : [{ counter: sites, key: keyOf(site), max: MAX_FAILURES_FROM_SITE }]),
        { counter: addresses, key: keyOf(network), max: MAX_FAILURES_FROM_ADDRESS },
        { counter: pairs, key: keyOf(network, email), max: MAX_FAILURES },
        { counter: users, key: keyOf(email), max: MAX_FAILURES_OF_USER },
      ]
      for (const limit of limits) rejectOver(limit)
      if (checks.waiting >= MAX_WAITING) throw tooMany(1)
      // Counted before the work: many tries at once are not free. What was right, or could not be tried, is taken back.
      for (const { counter, key } of limits) counter.add(key)
      const takeBack = () => {
        for (const { counter, key } of limits) counter.takeBack(key)
      }
      const found = await checks.run(NEVER, work).catch((error: unknown) => {
        takeBack()
        throw error
      })
      if (found !== false) {
        takeBack()
        pairs.forget(keyOf(network, email))
      }
      return found
    },
    get size() {
      return sites.size + addresses.size + pairs.size + users.size
    },
  }
}

interface Limit {
  readonly counter: WindowCounter
  readonly key: string
  readonly max: number
}

function rejectOver({ counter, key, max }: Limit): void {
  const { count, msLeft } = counter.get(key)
  if (count >= max) throw tooMany(Math.max(1, Math.ceil(msLeft / 1000)))
}

/** As long for a long text as for a short one. */
const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 22)

const tooMany = (retryAfterSeconds: number) =>
  new ServiceError('RATE_LIMITED', 'Wait before you try to sign in again.', { retryAfterSeconds })
