/** Speech as it was just spoken: a part of a text of several chunks, or all of a text of one. */
export interface RelayedPart {
  readonly attempt: number
  /** Counted from 0. */
  readonly index: number
  readonly samples: Int16Array
  readonly sampleRate: number
  /** Of a text of one chunk, which is heard whole. */
  readonly totalSamples?: number
}

/** Brings speech that is spoken in this process to its listeners here, before it is stored. Nothing is kept: what they miss is in the store. */
export class SpeechRelay {
  readonly #listeners = new Map<string, Set<RelayListener>>()

  /** To be closed. */
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

/** Holds one part at a time: what comes while it waits is left out, as its reader is slower. */
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

  /** The part that waits; null without one. */
  take(): RelayedPart | null {
    const part = this.#part
    this.#part = null
    return part
  }

  /** Resolves once a part waits. */
  arrival(): Promise<null> {
    if (this.#part !== null) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#wake = () => resolve(null)
    })
  }
}
