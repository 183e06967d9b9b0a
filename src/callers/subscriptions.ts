import { type AccountHolder, callerOf } from '../access/actor.ts'
import { type Identified, type LatestStream, openLatestStream } from '../concurrency/latest-stream.ts'
import { Tally } from '../concurrency/tally.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { CallerWatch } from './caller-watch.ts'

const MAX_PER_CALLER = 1000
const MAX_PER_ACCOUNT = 2500
const MAX_IN_ALL = 10_000

interface Opening {
  onEnd(): void
  readonly counted?: boolean
}

export class Subscriptions {
  readonly #callers: CallerWatch
  readonly #open = new Set<{ finish(): void }>()
  readonly #counts = new Tally()

  constructor(callers: CallerWatch) {
    this.#callers = callers
  }

  /**
   * A stream that ends when the caller loses its key, its session or a scope.
   * @throws RATE_LIMITED if there are too many subscriptions
   */
  open<T extends Identified>(caller: AccountHolder, { onEnd, counted = true }: Opening): LatestStream<T> {
    if (counted && this.#isFull(caller)) throw tooMany()
    const uncount = counted ? this.#count(caller) : () => undefined
    const stream = openLatestStream<T>(() => {
      unwatch()
      this.#open.delete(stream)
      uncount()
      onEnd()
    })
    this.#open.add(stream)
    // The scopes at subscription decide what a caller may read.
    const scopes = 'scopes' in caller ? caller.scopes : []
    const unwatch = this.#callers.watch(caller, scopes, (error) => stream.fail(error))
    return stream
  }

  close(): void {
    for (const stream of [...this.#open]) stream.finish()
  }

  #isFull(caller: AccountHolder): boolean {
    const [own, account] = [callerOf(caller), caller.accountId].map((id) => this.#counts.of(id))
    return this.#counts.total >= MAX_IN_ALL || own! >= MAX_PER_CALLER || account! >= MAX_PER_ACCOUNT
  }

  #count(caller: AccountHolder): () => void {
    return this.#counts.add(callerOf(caller), caller.accountId)
  }
}

const tooMany = () =>
  new ServiceError('RATE_LIMITED', 'End other subscriptions first: there are too many of them.', {
    retryAfterSeconds: 1,
  })
