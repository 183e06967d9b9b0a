import { listGpus, type NumberedGpus } from './list-gpus.ts'
import type { Gpu } from './worker.ts'

const PERIOD_MS = 10_000

interface WatchOptions {
  readonly program?: string
  readonly periodMs?: number
}

/** Reads the cards every ten seconds; use and load are null while that fails. */
export class GpuWatch {
  readonly #only: ReadonlySet<number> | null
  readonly #options: WatchOptions
  #gpus: readonly Gpu[] = []
  #timer: NodeJS.Timeout | undefined
  #ended = false

  constructor(only: readonly number[] | null, options: WatchOptions = {}) {
    this.#only = only === null ? null : new Set(only)
    this.#options = options
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
    const { program, periodMs = PERIOD_MS } = this.#options
    const found = await listGpus(program)
    if (this.#ended || (found === 'missing' && this.#gpus.length === 0)) return
    this.#gpus = typeof found === 'string' ? this.#gpus.map(untold) : this.#counted(found)
    this.#timer = setTimeout(() => void this.#read(), periodMs).unref()
  }

  #counted(found: NumberedGpus): Gpu[] {
    return [...found].flatMap(([number, gpu]) => (this.#only?.has(number) === false ? [] : [gpu]))
  }
}

const untold = (gpu: Gpu): Gpu => ({ ...gpu, memoryUsedMib: null, loadPercent: null })
