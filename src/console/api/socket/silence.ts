/** A network that drops everything closes nothing: a connection without any sign for too long is given up, and another one is made. */
export class Silence {
  readonly #giveUp: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #ms = 0

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp
  }

  begin(ms: number): void {
    this.end()
    this.#ms = ms
    this.#timer = setTimeout(this.#giveUp, ms)
  }

  /** There was a sign, but not the one that is waited for. */
  goOn(): void {
    if (this.#timer !== undefined) this.begin(this.#ms)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
