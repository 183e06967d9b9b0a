import { type Release, releaseOnce } from './semaphore.ts'

export class Tally {
  readonly #counts = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(owner: string): number {
    return this.#counts.get(owner) ?? 0
  }

  add(...owners: readonly string[]): Release {
    return this.addMany(1, ...owners)
  }

  addMany(amount: number, ...owners: readonly string[]): Release {
    this.#change(owners, amount)
    return releaseOnce(() => this.#change(owners, -amount))
  }

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
