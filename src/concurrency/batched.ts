import { ServiceError } from '../errors/service-error.ts'
import type { Identified } from './latest-stream.ts'
import { END, openPullStream, type PullStream } from './pull-stream.ts'

const FIRST_MS = 50
const MAX_BATCH = 500
const MAX_WAITING = 10_000
const MAX_REMOVED_IN_BATCH = 10_000
/** A retention that deletes many thousands at once must not end the stream. */
const MAX_REMOVED = 100_000

/**
 * At most one batch per tick. A newer state replaces a waiting one; a slow reader is disconnected.
 * @param isRemoval whether a state is only the id of what has gone, of which a batch has many
 */
export function batched<T extends Identified>(
  states: PullStream<T>,
  everyMs: number,
  isRemoval: (state: T) => boolean = () => false,
): PullStream<readonly T[]> {
  const batches = new Batches(states, everyMs, isRemoval)
  const { stream, more } = openPullStream<readonly T[]>({
    take: () => batches.take(),
    stop: () => batches.stop(),
    isBroken: () => batches.failure !== null,
  })
  batches.begin(more)
  return stream
}

class Batches<T extends Identified> {
  readonly #states: PullStream<T>
  readonly #everyMs: number
  readonly #isRemoval: (state: T) => boolean
  readonly #waiting = new Map<string, T>()
  readonly #removed = new Map<string, T>()
  #more = (): void => undefined
  #dueAt: number | null = null
  #timer: NodeJS.Timeout | undefined
  #ended = false
  failure: unknown = null

  constructor(states: PullStream<T>, everyMs: number, isRemoval: (state: T) => boolean) {
    this.#states = states
    this.#everyMs = everyMs
    this.#isRemoval = isRemoval
  }

  begin(more: () => void): void {
    this.#more = more
    this.#states.onMore(() => this.#collect())
    this.#collect()
  }

  take(): IteratorResult<readonly T[], undefined> | null {
    if (this.failure !== null) {
      const { failure } = this
      this.failure = null
      throw failure
    }
    if (this.#waiting.size + this.#removed.size === 0) return this.#ended ? END : null
    const now = performance.now()
    this.#dueAt ??= now + Math.min(this.#everyMs, FIRST_MS)
    if (now < this.#dueAt && !this.#ended) return this.#takeIn(this.#dueAt - now)
    this.#dueAt = now + this.#everyMs
    return {
      done: false,
      value: [...takeFirst(this.#waiting, MAX_BATCH), ...takeFirst(this.#removed, MAX_REMOVED_IN_BATCH)],
    }
  }

  stop(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#waiting.clear()
    this.#removed.clear()
    void this.#states.return()
  }

  #takeIn(ms: number): null {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#more()
    }, ms).unref()
    return null
  }

  #add(state: T): void {
    this.#waiting.delete(state.id)
    this.#removed.delete(state.id)
    const states = this.#isRemoval(state) ? this.#removed : this.#waiting
    states.set(state.id, state)
  }

  #collect(): void {
    try {
      for (let next = this.#states.take(); next !== null; next = this.#states.take()) {
        if (next.done === true) {
          this.#ended = true
          break
        }
        this.#add(next.value)
        if (this.#waiting.size > MAX_WAITING || this.#removed.size > MAX_REMOVED) throw tooSlow()
      }
    } catch (error) {
      this.stop()
      this.failure = error
    }
    this.#more()
  }
}

function takeFirst<T extends Identified>(states: Map<string, T>, most: number): T[] {
  const first = [...states.values()].slice(0, most)
  for (const { id } of first) states.delete(id)
  return first
}

const tooSlow = () =>
  new ServiceError('UNAVAILABLE', 'The subscription ended because the client read too slowly: subscribe again.')
