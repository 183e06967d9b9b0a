import { Semaphore } from '../../concurrency/semaphore.ts'
import type { Context } from '../../context/context.ts'
import type { Engines } from '../../engines/engines.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { modelsOf } from '../models-of.ts'

const MOST_AT_ONCE = 2
const MOST_WAITING = 8
/** A model holds gigabytes, and is hardly asked for twice. */
const IDLE_MS = 60_000

type Parts = Pick<Context, 'settings' | 'log'>

/** Speaks what is no job: checks and samples, in a process that need not take jobs. Its engines are opened for the first, and closed when idle. */
export class TrialEngines {
  readonly #parts: Parts
  readonly #slots = new Semaphore(() => MOST_AT_ONCE)
  #engines: Promise<Engines> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** @param signal ends the waiting for others. @throws UNAVAILABLE where too many wait, or for too long; what `work` throws */
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

/** Loaded with the first of them: no other request needs an engine. */
async function openTrialEngines({ settings, log }: Parts): Promise<Engines> {
  const { openEngines } = await import('../../engines/engines.ts')
  return openEngines({ threads: 1, log, lookUp: settings.lookUp, ...modelsOf(settings) })
}

const tooMany = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Try again in a moment: other engines are being tried.', { retryAfterSeconds: 5 })
