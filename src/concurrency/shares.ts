import { releaseOnce } from './permit.ts'
import { Tally } from './tally.ts'

/** Receives the release, or an error after the longest wait. */
type Granted = (refused: Error | null, release: () => void) => void
type Exhausted = () => Error

/** Limits what one owner uses at once. Its excess requests wait in a queue of its own. */
export class Shares {
  readonly perOwner: number
  readonly #longestWaitMs: number
  readonly #exhausted: Exhausted
  readonly #inUse = new Tally()
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(perOwner: number, longestWaitMs: number, exhausted: Exhausted) {
    this.perOwner = perOwner
    this.#longestWaitMs = longestWaitMs
    this.#exhausted = exhausted
  }

  take(owner: string, callback: Granted): void {
    if (this.#inUse.of(owner) < this.perOwner) callback(null, this.#count(owner))
    else this.#wait(owner, callback)
  }

  /** @throws the error for an owner whose share stays taken */
  async acquire(owner: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.take(owner, (refused, release) => (refused === null ? resolve(release) : reject(refused)))
    })
  }

  #wait(owner: string, callback: Granted): void {
    const waiting = this.#waiting.get(owner) ?? new Set()
    this.#waiting.set(owner, waiting)
    const timer = setTimeout(() => {
      waiting.delete(grant)
      callback(this.#exhausted(), () => undefined)
    }, this.#longestWaitMs)
    const grant = () => {
      clearTimeout(timer)
      callback(null, this.#count(owner))
    }
    waiting.add(grant)
  }

  #count(owner: string): () => void {
    const takeBack = this.#inUse.add(owner)
    return releaseOnce(() => {
      takeBack()
      this.#grantNext(owner)
    })
  }

  #grantNext(owner: string): void {
    const waiting = this.#waiting.get(owner)
    const next = waiting?.values().next().value
    if (next === undefined) this.#waiting.delete(owner)
    else {
      waiting?.delete(next)
      next()
    }
  }
}
