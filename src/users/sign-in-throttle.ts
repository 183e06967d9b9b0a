import { createHash } from 'node:crypto'
import { Semaphore } from '../concurrency/semaphore.ts'
import { WindowCounter } from '../concurrency/window-counter.ts'
import type { Context } from '../context/context.ts'
import { networkOf, siteOf } from '../egress/network-of.ts'
import { ServiceError } from '../errors/service-error.ts'

const WINDOW_MS = 900_000
const MAX_FAILURES_FROM_ADDRESS = 50
const MAX_FAILURES_FROM_SITE = 500
const MAX_FAILURES = 5
/** Far more than from one address, so one address cannot lock a user out. */
const MAX_FAILURES_OF_USER = 100
const MAX_KEYS = 20_000
/** Each takes a thread and 19 MiB. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 50
/** A check that has begun is counted even if its caller leaves. */
const NEVER = new AbortController().signal

const MAX_NAME_CHARACTERS = 254

export const shortened = (name: string): string => `${name.length} ${name.slice(0, MAX_NAME_CHARACTERS)}`

export interface SignInContext extends Context {
  readonly signIns: SignInThrottle
}

export interface SignInThrottle {
  /**
   * @returns false for a wrong password
   * @throws RATE_LIMITED after too many wrong ones
   */
  attempt<Found>(email: string, address: string, work: () => Promise<Found | false>): Promise<Found | false>
  readonly size: number
}

export function openSignInThrottle(): SignInThrottle {
  const open = () => new WindowCounter({ windowMs: WINDOW_MS, maxKeys: MAX_KEYS })
  const [sites, addresses, pairs, users] = [open(), open(), open(), open()]
  const checks = new Semaphore(() => MAX_AT_ONCE)
  return {
    attempt: async (email, address, work) => {
      const [network, site] = [networkOf(address), siteOf(address)]
      const limits = [
        ...(site === network ? [] : [{ counter: sites, key: keyOf(site), max: MAX_FAILURES_FROM_SITE }]),
        { counter: addresses, key: keyOf(network), max: MAX_FAILURES_FROM_ADDRESS },
        { counter: pairs, key: keyOf(network, email), max: MAX_FAILURES },
        { counter: users, key: keyOf(email), max: MAX_FAILURES_OF_USER },
      ]
      for (const limit of limits) rejectOver(limit)
      if (checks.waiting >= MAX_WAITING) throw tooMany(1)
      // A try is counted before its work, so many tries at once are not free; a right one is taken back.
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

const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 22)

const tooMany = (retryAfterSeconds: number) =>
  new ServiceError('RATE_LIMITED', 'Wait before you try to sign in again.', { retryAfterSeconds })
