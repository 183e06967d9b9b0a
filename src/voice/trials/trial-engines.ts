import { join } from 'node:path'
import { Semaphore } from '../../concurrency/semaphore.ts'
import type { Settings } from '../../context/config.ts'
import type { Context } from '../../context/context.ts'
import type { Engines } from '../../engines/engines.ts'
import { ServiceError } from '../../errors/service-error.ts'

const MOST_AT_ONCE = 2
const MOST_WAITING = 8
/** A loaded model holds gigabytes. */
const IDLE_MS = 60_000

type Parts = Pick<Context, 'settings' | 'log' | 'vault'>

/** Runs checks and samples outside of jobs; opens engines on first use and closes them when idle. */
export class TrialEngines {
  readonly #parts: Parts
  readonly #slots = new Semaphore(() => MOST_AT_ONCE)
  #engines: Promise<Engines> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** @throws UNAVAILABLE if too many trials wait or `signal` aborts; what `work` throws */
  async use<T>(signal: AbortSignal, work: (engines: Engines) => Promise<T>): Promise<T> {
    if (this.#slots.waiting >= MOST_WAITING) throw tooMany()
    const release = await this.#slots.acquire(signal).catch(() => {
      throw tooMany()
    })
    clearTimeout(this.#idle)
    try {
      this.#engines ??= openTrialEngines(this.#parts)
      return await work(await this.#engines)
    } finally {
      release()
      if (this.#slots.inUse === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const engines = this.#engines
    this.#engines = undefined
    await (await engines)?.close()
  }
}

/** The dynamic import keeps engines out of processes that never try one. */
export async function openTrialEngines({ settings, log, vault }: Parts, threads = 1): Promise<Engines> {
  const { openEngines } = await import('../../engines/engines.ts')
  const { lookUp, modelsBytes } = settings
  return openEngines({ threads, log, lookUp, vault, modelsDir: modelsDirOf(settings), modelsBytes })
}

const tooMany = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Try again in a moment: other engines are being tried.', { retryAfterSeconds: 5 })

export const modelsDirOf = ({ dataDir }: Pick<Settings, 'dataDir'>): string => join(dataDir, 'models')
