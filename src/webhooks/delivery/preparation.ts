/** What was prepared longer ago than this is released instead of used: its lease must outlast the attempt. */
const STALE_MS = 1000

/** What is done with a ticket of the gate. */
export interface Steps<Prepared, Result> {
  /** Also called before the ticket is granted, at most 64 places ahead, where the receiver answers quickly. */
  prepare(): Promise<Prepared>
  /** What came prepared; `since` in milliseconds of `performance.now()`. */
  readonly early?: { readonly prepared: Prepared; readonly since: number } | undefined
  work(prepared: Prepared): Promise<Result>
  /** Releases what was prepared and is not going to be used. */
  undo(prepared: Prepared): Promise<void>
}

/** What was prepared before the ticket was granted, if anything. */
export class Preparation<Prepared> {
  readonly #steps: Pick<Steps<Prepared, unknown>, 'prepare' | 'undo'>
  readonly #now: () => number
  #early: { readonly made: Promise<Prepared>; readonly since: number } | undefined
  #undone: Promise<unknown> = Promise.resolve()

  constructor(steps: Pick<Steps<Prepared, unknown>, 'prepare' | 'undo' | 'early'>, now: () => number) {
    this.#steps = steps
    this.#now = now
    const { early } = steps
    if (early !== undefined) this.#early = { made: Promise.resolve(early.prepared), since: early.since }
  }

  get isBegun(): boolean {
    return this.#early !== undefined
  }

  begin(): void {
    if (this.#early !== undefined) return
    this.#early = { made: this.#undone.then(() => this.#steps.prepare()), since: this.#now() }
    // Its failure is reported when its ticket is granted.
    this.#early.made.catch(() => undefined)
  }

  /** Its ticket is not granted at once: a crash while it waits must not cost what came prepared. */
  takeBack(): void {
    if (this.#early === undefined) return
    this.#undone = this.#early.made.then((made) => this.#steps.undo(made))
    this.#early = undefined
    // Its failure is reported when its ticket is granted.
    this.#undone.catch(() => undefined)
  }

  /** What was prepared, or, where that is stale or was not begun, something new. @throws what preparing throws */
  async fresh(): Promise<Prepared> {
    await this.#undone
    if (this.#early === undefined) return this.#steps.prepare()
    const made = await this.#early.made
    if (this.#now() - this.#early.since < STALE_MS) return made
    await this.#steps.undo(made)
    return this.#steps.prepare()
  }

  /** Releases what was prepared. @throws the error */
  async rejectWith(error: Error): Promise<never> {
    await this.#undone
    if (this.#early !== undefined) await this.#steps.undo(await this.#early.made)
    throw error
  }
}
