import { unavailable } from '../../errors/service-error.ts'

interface Limits {
  /** All files together. */
  readonly maxBytes: number
  /** All files of one owner. */
  readonly maxBytesPerOwner: number
}

/** What one file takes of its owner's quota, and of the quota of all. */
export interface Quota {
  /** @throws UNAVAILABLE where a quota is used up, its owner's or that of all */
  take(bytes: number): void
  /** All that was taken. May be called more than once. */
  release(): void
}

/** Bytes that owners share, so that none can take them all. */
export class SharedQuota {
  readonly #limits: Limits
  readonly #owned = new Map<string, number>()
  #used = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Bytes taken now. */
  get used(): number {
    return this.#used
  }

  /** The quota of one more file. */
  of(owner: string): Quota {
    let taken = 0
    return {
      take: (bytes) => {
        taken += bytes
        const owned = this.#add(owner, bytes)
        if (owned > this.#limits.maxBytesPerOwner) throw unavailable('the spill files of one owner are full')
        if (this.#used > this.#limits.maxBytes) throw unavailable('the spill files are full')
      },
      release: () => {
        this.#add(owner, -taken)
        taken = 0
      },
    }
  }

  #add(owner: string, bytes: number): number {
    this.#used += bytes
    const owned = (this.#owned.get(owner) ?? 0) + bytes
    if (owned === 0) this.#owned.delete(owner)
    else this.#owned.set(owner, owned)
    return owned
  }
}
