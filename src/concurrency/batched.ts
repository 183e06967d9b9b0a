import { ServiceError } from '../errors/service-error.ts'
import type { Identified } from './latest-stream.ts'
import { END, openPullStream, type PullStream } from './pull-stream.ts'

const FIRST_MS = 50
const MAX_BATCH = 500
const MAX_WAITING = 10_000

/** At most one batch per tick. A newer state replaces a waiting one; a slow reader is disconnected. */
export function batched<T extends Identified>(states: PullStream<T>, everyMs: number): PullStream<readonly T[]> {
  const batches = new Batches(states, everyMs)
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
  readonly #waiting = new Map<string, T>()
  #more = (): void => undefined
  #dueAt: number | null = null
  #timer: NodeJS.Timeout | undefined
  #ended = false
  failure: unknown = null

  constructor(states: PullStream<T>, everyMs: number) {
    this.#states = states
    this.#everyMs = everyMs
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
    if (this.#waiting.size === 0) return this.#ended ? END : null
    const now = performance.now()
    this.#dueAt ??= now + Math.min(this.#everyMs, FIRST_MS)
    if (now < this.#dueAt && !this.#ended) return this.#wait(this.#dueAt - now)
    this.#dueAt = now + this.#everyMs
    const batch = [...this.#waiting.values()].slice(0, MAX_BATCH)
    for (const { id } of batch) this.#waiting.delete(id)
    return { done: false, value: batch }
  }

  stop(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#waiting.clear()
    void this.#states.return()
  }

  #wait(ms: number): null {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#more()
    }, ms).unref()
    return null
  }

  #collect(): void {
    try {
      for (let next = this.#states.take(); next !== null; next = this.#states.take()) {
        if (next.done === true) {
          this.#ended = true
          break
        }
        this.#waiting.delete(next.value.id)
        this.#waiting.set(next.value.id, next.value)
        if (this.#waiting.size > MAX_WAITING) throw tooSlow()
      }
    } catch (error) {
      this.stop()
      this.failure = error
    }
    this.#more()
  }
}

const tooSlow = () =>
  new ServiceError('UNAVAILABLE', 'The subscription ended because the client read too slowly: subscribe again.')
