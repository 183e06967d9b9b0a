import { listGpus } from './list-gpus.ts'
import type { Gpu } from './worker.ts'

const PERIOD_MS = 10_000

/** The machine's graphics cards with their memory and load, read again every ten seconds where there are any. */
export class GpuWatch {
  readonly #only: ReadonlySet<number> | null
  #gpus: readonly Gpu[] = []
  #timer: NodeJS.Timeout | undefined
  #ended = false

  /** @param only the numbers of those that count; null: all */
  constructor(only: readonly number[] | null) {
    this.#only = only === null ? null : new Set(only)
  }

  get current(): readonly Gpu[] {
    return this.#gpus
  }

  start(): void {
    void this.#read()
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  async #read(): Promise<void> {
    const found = await listGpus()
    if (this.#ended || found.length === 0) return
    this.#gpus = found.filter((_gpu, number) => this.#only?.has(number) !== false)
    this.#timer = setTimeout(() => void this.#read(), PERIOD_MS).unref()
  }
}
