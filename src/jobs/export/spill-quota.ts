import { unavailable } from '../../errors/service-error.ts'

interface Limits {
  /** All files together. */
  readonly maxBytes: number
  /** All files of one owner. */
  readonly maxBytesPerOwner: number
}

/** What one file may take of the space for all. */
export interface Quota {
  /** @throws UNAVAILABLE where there is no more space, for its owner or at all */
  take(bytes: number): void
  /** All that was taken. Harmless when it was given back already. */
  giveBack(): void
}

/** Space that owners share, so that none can take it all. */
interface Space {
  /** Taken now. */
  readonly used: number
  allow(owner: string): Quota
}

export function openQuota({ maxBytes, maxBytesPerOwner }: Limits): Space {
  const owners = new Map<string, number>()
  let used = 0
  const add = (owner: string, bytes: number) => {
    used += bytes
    const owned = (owners.get(owner) ?? 0) + bytes
    if (owned === 0) owners.delete(owner)
    else owners.set(owner, owned)
    return owned
  }
  return {
    get used() {
      return used
    },
    allow: (owner) => {
      let taken = 0
      return {
        take: (bytes) => {
          taken += bytes
          const owned = add(owner, bytes)
          if (owned > maxBytesPerOwner) throw unavailable('the spill files of one owner are full')
          if (used > maxBytes) throw unavailable('the spill files are full')
        },
        giveBack: () => {
          add(owner, -taken)
          taken = 0
        },
      }
    },
  }
}
