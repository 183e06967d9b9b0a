import { setTimeout as wait } from 'node:timers/promises'

/** Least time between two fetches of a backlog: what has become free meanwhile is filled by one. A fetch costs as much as two jobs in it. */
const SPACING_MS = 10

/** When a dispatcher may fetch again: at once, unless the last fetch left jobs in the queue. These wait for slots in any case. */
export class BacklogPace {
  /** The time of the last success in milliseconds of `performance.now()`. */
  #next = 0

  async due(): Promise<void> {
    const rest = this.#next - performance.now()
    if (rest > 0) await wait(rest)
  }

  /** @param most what there is capacity for: a fetch that brings as many may have left others */
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
