import { execFile } from 'node:child_process'
import type { Gpu } from './workers.ts'

const PERIOD_MS = 10_000
const QUERY = ['--query-gpu=index,name,memory.total,memory.used,utilization.gpu', '--format=csv,noheader,nounits']
/** A broken driver hangs instead of answering. */
const TIMEOUT_MS = 5000

interface WatchOptions {
  readonly program?: string
  readonly periodMs?: number
}

type NumberedGpus = ReadonlyMap<number, Gpu>

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

export const listGpus = (program = 'nvidia-smi'): Promise<NumberedGpus | 'missing' | 'failed'> =>
  new Promise((resolve) => {
    execFile(program, QUERY, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, stdout) => {
      if (error === null) resolve(parseGpus(stdout))
      else resolve(error.code === 'ENOENT' ? 'missing' : 'failed')
    })
  })

/** Parses lines of `number, name, memory in MiB, used MiB, load in per cent`; a driver writes words for unknown values. */
export function parseGpus(output: string): NumberedGpus {
  const cards = output.split('\n').flatMap((line): [number, Gpu][] => {
    const fields = /^(\d+), *(.+), *([^,]*), *([^,]*), *([^,]*)$/.exec(line.trim())
    if (fields === null) return []
    const [, number, name = '', memory = '', used = '', load = ''] = fields
    const told = { memoryUsedMib: numberOrNull(used), loadPercent: numberOrNull(load) }
    return [[Number(number), { name, memoryMib: numberOrNull(memory) ?? 0, ...told }]]
  })
  return new Map(cards)
}

const numberOrNull = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null)
