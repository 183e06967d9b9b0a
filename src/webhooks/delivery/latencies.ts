const KEPT_MS = 1000
const MAX_KEYS = 1024

interface Answer {
  readonly tookMs: number
  readonly endedAt: number
}

/** Milliseconds of each key's last attempt, if it ended within KEPT_MS. */
export class Latencies {
  readonly #now: () => number
  readonly #last = new Map<string, Answer>()

  constructor(now: () => number) {
    this.#now = now
  }

  note(key: string, tookMs: number): void {
    this.#last.set(key, { tookMs, endedAt: this.#now() })
    if (this.#last.size > MAX_KEYS) this.#forgetOld()
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= 2 * MAX_KEYS) break
      this.#last.delete(oldest)
    }
  }

  of(key: string): number {
    const answer = this.#last.get(key)
    return answer !== undefined && this.#now() - answer.endedAt < KEPT_MS ? answer.tookMs : Number.POSITIVE_INFINITY
  }

  #forgetOld(): void {
    const old = this.#now() - KEPT_MS
    for (const [key, { endedAt }] of this.#last) if (endedAt <= old) this.#last.delete(key)
  }
}
