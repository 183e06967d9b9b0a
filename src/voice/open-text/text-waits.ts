import { lazily } from '../../concurrency/single-flight.ts'
import type { Notifier } from '../../db/notifier.ts'

/** Payload: job id. */
const TEXT_CHANNEL = 'sonant_text'

/** Wakes workers that wait for more text of a job. */
export class TextWaits {
  readonly #notifier: Notifier
  readonly #watches = new Map<string, Set<TextWatch>>()
  readonly #listen: () => Promise<unknown>

  constructor(notifier: Notifier) {
    this.#notifier = notifier
    const wakeAll = (): void => {
      for (const jobId of this.#watches.keys()) this.#wake(jobId)
    }
    this.#listen = lazily(() => notifier.listen(TEXT_CHANNEL, (jobId) => void this.#wake(jobId), wakeAll))
  }

  async watch(jobId: string): Promise<TextWatch> {
    await this.#listen()
    const watches = this.#watches.get(jobId) ?? new Set()
    const watch = new TextWatch(() => {
      watches.delete(watch)
      if (watches.size === 0 && this.#watches.get(jobId) === watches) this.#watches.delete(jobId)
    })
    this.#watches.set(jobId, watches.add(watch))
    return watch
  }

  /** Called after the commit. A worker of another process may miss it, so it looks again when the text's time is over. */
  wake(jobId: string): void {
    if (!this.#wake(jobId)) this.#notifier.notify(TEXT_CHANNEL, jobId).catch(() => undefined)
  }

  #wake(jobId: string): boolean {
    const watches = this.#watches.get(jobId)
    for (const watch of watches ?? []) watch.wake()
    return watches !== undefined
  }
}

/** Remembers a wake-up until it is taken. */
export class TextWatch {
  readonly close: () => void
  /** The number of wake-ups so far. */
  wakes = 0
  #isDue = false
  #wake: (() => void) | null = null

  constructor(close: () => void) {
    this.close = close
  }

  wake(): void {
    this.wakes++
    this.#isDue = true
    this.#wake?.()
  }

  /**
   * Resolves at the next wake-up, or after this time.
   * @throws the signal's reason
   */
  async next(signal: AbortSignal, mostMs?: number): Promise<void> {
    signal.throwIfAborted()
    if (!this.#isDue) await this.#woken(signal, mostMs)
    signal.throwIfAborted()
    this.#isDue = false
  }

  #woken(signal: AbortSignal, mostMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = mostMs === undefined ? undefined : setTimeout(() => end(), mostMs)
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#wake = null
        resolve()
      }
      signal.addEventListener('abort', end, { once: true })
      this.#wake = end
    })
  }
}
