import { releaseOnce } from './permit.ts'

/** How many of something each owner has. An owner that has none is forgotten. */
export class Tally {
  readonly #counts = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(owner: string): number {
    return this.#counts.get(owner) ?? 0
  }

  /** Counts one more, of each of its owners. @returns what takes it back, once however often it is called */
  add(...owners: readonly string[]): () => void {
    return this.addMany(1, ...owners)
  }

  /** The same of several at once. */
  addMany(amount: number, ...owners: readonly string[]): () => void {
    this.#change(owners, amount)
    return releaseOnce(() => this.#change(owners, -amount))
  }

  /** Counts one less, where what `add` returned cannot be kept. */
  subtract(...owners: readonly string[]): void {
    this.#change(owners, -1)
  }

  #change(owners: readonly string[], change: number): void {
    this.#total += change
    for (const owner of new Set(owners)) {
      const left = this.of(owner) + change
      if (left === 0) this.#counts.delete(owner)
      else this.#counts.set(owner, left)
    }
  }
}
