/** How long an answer says something about a key. */
const KEPT_MS = 1000
/** With more keys than this, those that were not answered lately are forgotten. */
const MAX_KEYS = 1024

interface Answer {
  readonly tookMs: number
  readonly endedAt: number
}

/**
 * Milliseconds that the last attempt of each concurrency key took, where it ended a short while ago: an account may have a slow path at a
 * quick receiver.
 */
export class Latencies {
  readonly #now: () => number
  readonly #last = new Map<string, Answer>()

  constructor(now: () => number) {
    this.#now = now
  }

  note(key: string, tookMs: number): void {
    this.#last.set(key, { tookMs, endedAt: this.#now() })
    if (this.#last.size > MAX_KEYS) this.#forgetOld()
    // Of more than that in one second the first ones are forgotten.
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= 2 * MAX_KEYS) break
      this.#last.delete(oldest)
    }
  }

  /** Infinite where nothing is known. */
  of(key: string): number {
    const answer = this.#last.get(key)
    return answer !== undefined && this.#now() - answer.endedAt < KEPT_MS ? answer.tookMs : Number.POSITIVE_INFINITY
  }

  #forgetOld(): void {
    const old = this.#now() - KEPT_MS
    for (const [key, { endedAt }] of this.#last) if (endedAt <= old) this.#last.delete(key)
  }
}
