import { Tally } from '../../concurrency/tally.ts'
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
  readonly #used = new Tally()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get used(): number {
    return this.#used.total
  }

  of(owner: string): Quota {
    let taken = 0
    return {
      take: (bytes) => {
        taken += bytes
        this.#used.addMany(bytes, owner)
        if (this.#used.of(owner) > this.#limits.maxBytesPerOwner)
          throw unavailable('the spill files of one owner are full')
        if (this.#used.total > this.#limits.maxBytes) throw unavailable('the spill files are full')
      },
      release: () => {
        this.#used.addMany(-taken, owner)
        taken = 0
      },
    }
  }
}
