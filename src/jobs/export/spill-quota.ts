import { unavailable } from '../../errors/service-error.ts'

interface Limits {
  readonly maxBytes: number
  readonly maxBytesPerOwner: number
}

export interface Quota {
  /** @throws UNAVAILABLE if the owner's or the shared quota is used up */
  take(bytes: number): void
  release(): void
}

export class SharedQuota {
  readonly #limits: Limits
  readonly #owned = new Map<string, number>()
  #used = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get used(): number {
    return this.#used
  }

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
