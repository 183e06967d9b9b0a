import { setTimeout as wait } from 'node:timers/promises'

/** One fetch then fills several free slots. */
const SPACING_MS = 10

export class BacklogPace {
  #next = 0

  async due(): Promise<void> {
    const rest = this.#next - performance.now()
    if (rest > 0) await wait(rest)
  }

  /** @param most a fetch that brings as many may have left others */
  async fetched<Brought extends { readonly deliveries: readonly unknown[] }>(
    most: number,
    fetch: () => Promise<Brought>,
  ): Promise<Brought> {
    const begun = performance.now()
    const brought = await fetch()
    this.#next = brought.deliveries.length === most ? begun + SPACING_MS : 0
    return brought
  }
}
