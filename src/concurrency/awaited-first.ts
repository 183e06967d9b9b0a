/** After so many in a row, one of the others is next. */
const AWAITED_IN_A_ROW = 3

/**
 * Waiting items. Those that somebody waits for come first, and their accounts take turns; each fourth is one of the others, in order of
 * arrival, while any of them wait.
 */
export class AwaitedFirst<Item> {
  readonly #awaited = new Map<string, Set<Item>>()
  readonly #others = new Set<Item>()
  #inARow = 0
  #lastAccount: string | undefined

  get size(): number {
    return [...this.#awaited.values()].reduce((sum, { size }) => sum + size, this.#others.size)
  }

  /** @param awaitedBy account; absent: nobody waits for it */
  add(item: Item, awaitedBy?: string): void {
    if (awaitedBy === undefined) this.#others.add(item)
    else this.#awaited.set(awaitedBy, (this.#awaited.get(awaitedBy) ?? new Set()).add(item))
  }

  remove(item: Item): void {
    if (this.#others.delete(item)) return
    for (const [account, items] of this.#awaited) {
      if (items.delete(item) && items.size === 0) this.#awaited.delete(account)
    }
  }

  /** Removes the next item; undefined if none waits. */
  take(): Item | undefined {
    const isOthersTurn = this.#awaited.size === 0 || (this.#others.size > 0 && this.#inARow === AWAITED_IN_A_ROW)
    this.#inARow = isOthersTurn || this.#others.size === 0 ? 0 : this.#inARow + 1
    return isOthersTurn ? this.#takeOther() : this.#takeAwaited()
  }

  #takeOther(): Item | undefined {
    const [item] = this.#others
    if (item !== undefined) this.#others.delete(item)
    return item
  }

  #takeAwaited(): Item | undefined {
    const [first, second] = this.#awaited
    // An account that has come back since its last turn stands before one that has come now.
    const next = first?.[0] === this.#lastAccount ? (second ?? first) : first
    if (next === undefined) return undefined
    const [account, items] = next
    const [item] = items
    this.#lastAccount = account
    this.#awaited.delete(account)
    items.delete(item!)
    if (items.size > 0) this.#awaited.set(account, items)
    return item
  }
}
