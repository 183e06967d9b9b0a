import type { PartTiming } from '../jobs/live-parts.ts'

/** A part of a text in several chunks, or all of a text in one; only the latter has `totalSamples`. */
export interface RelayedPart {
  readonly attempt: number
  readonly index: number
  readonly samples: Int16Array
  readonly sampleRate: number
  readonly totalSamples?: number
  /** Present if the text comes while it is spoken. */
  readonly timing?: PartTiming | undefined
}

/** Passes speech to listeners in this process before it is stored. It buffers nothing; listeners read missed parts from storage. */
export class SpeechRelay {
  readonly #listeners = new Map<string, Set<RelayListener>>()

  listen(jobId: string): RelayListener {
    const listeners = this.#listeners.get(jobId) ?? new Set()
    const listener = new RelayListener(() => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(jobId) === listeners) this.#listeners.delete(jobId)
    })
    this.#listeners.set(jobId, listeners.add(listener))
    return listener
  }

  publish(jobId: string, part: RelayedPart): void {
    for (const listener of this.#listeners.get(jobId) ?? []) listener.hear(part)
  }
}

/** Holds one part; drops others until the reader takes it. */
export class RelayListener {
  readonly close: () => void
  #part: RelayedPart | null = null
  #wake: (() => void) | null = null

  constructor(close: () => void) {
    this.close = close
  }

  hear(part: RelayedPart): void {
    this.#part ??= part
    this.#wake?.()
  }

  take(): RelayedPart | null {
    const part = this.#part
    this.#part = null
    return part
  }

  arrival(): Promise<null> {
    if (this.#part !== null) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#wake = () => resolve(null)
    })
  }
}
