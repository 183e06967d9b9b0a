import { listGpus, type NumberedGpus } from './list-gpus.ts'
import type { Gpu } from './worker.ts'

const PERIOD_MS = 10_000

interface WatchOptions {
  /** Instead of `nvidia-smi`. */
  readonly program?: string
  readonly periodMs?: number
}

/**
 * The machine's graphics cards with their memory and load, read again every ten seconds where there is a program that tells of them. While
 * it fails they are what they were, but for their memory in use and their load, which are unknown.
 */
export class GpuWatch {
  readonly #only: ReadonlySet<number> | null
  readonly #options: WatchOptions
  #gpus: readonly Gpu[] = []
  #timer: NodeJS.Timeout | undefined
  #ended = false

  /** @param only the numbers of those that count; null: all */
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
    // A driver that is being replaced comes back.
    if (this.#ended || (found === 'missing' && this.#gpus.length === 0)) return
    this.#gpus = typeof found === 'string' ? this.#gpus.map(untold) : this.#counted(found)
    this.#timer = setTimeout(() => void this.#read(), periodMs).unref()
  }

  #counted(found: NumberedGpus): Gpu[] {
    return [...found].flatMap(([number, gpu]) => (this.#only?.has(number) === false ? [] : [gpu]))
  }
}

const untold = (gpu: Gpu): Gpu => ({ ...gpu, memoryUsedMib: null, loadPercent: null })
