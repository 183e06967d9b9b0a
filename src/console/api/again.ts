/** After an error, and the longest after several. */
const AGAIN_MS = 2000
const MAX_AGAIN_MS = 300_000

interface Calls {
  run(): void
  /** A try has succeeded. */
  onBack(): void
  /** There will be none any more. */
  onEnd(): void
}

/** Requests that wait for another try. They end with their session. */
const waiting = new Set<Again>()

/** Another try after a pause, each for twice as long until one succeeds. */
export class Again {
  readonly #calls: Calls
  #timer: ReturnType<typeof setTimeout> | undefined
  #ms = AGAIN_MS

  constructor(calls: Calls) {
    this.#calls = calls
  }

  plan(): void {
    waiting.add(this)
    this.#timer = setTimeout(() => {
      waiting.delete(this)
      this.#calls.run()
    }, this.#ms)
    this.#ms = Math.min(MAX_AGAIN_MS, this.#ms * 2)
  }

  done(): void {
    if (this.#ms !== AGAIN_MS) this.#calls.onBack()
    this.#ms = AGAIN_MS
  }

  drop(): void {
    waiting.delete(this)
    clearTimeout(this.#timer)
  }

  giveUp(): void {
    this.drop()
    this.#calls.onEnd()
  }
}

/** None of those that wait tries again. */
export function giveUpAll(): void {
  for (const one of [...waiting]) one.giveUp()
}
