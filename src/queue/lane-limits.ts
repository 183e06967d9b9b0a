/** How much of a process a lane may hold. Lanes are two words, `account receiver`, each with a limit of its own. */
export interface LaneLimits {
  /** How many jobs to fetch at once: what a lane that has just got room can surely take. */
  readonly batch: number
  /** Takes a place in the lane, or says that there is none. */
  enter(lane: string | undefined): boolean
  /** Gives a place back, and says whether a lane that was full takes jobs again. */
  leave(lane: string | undefined): boolean
  /** The lanes known to be full: what they hold may as well stay in the queue. */
  full(): string[]
}

export interface LaneOptions {
  readonly perAccount: number
  readonly perReceiver: number
}

/** Limits of one process. A word that was full takes jobs again once half of it is empty, so that every fetch brings many of them. */
export function laneLimits({ perAccount, perReceiver }: LaneOptions): LaneLimits {
  const held = new Map<string, number>()
  const closed = new Set<string>()
  const refused = new Set<string>()
  const limitOf = (key: string) => (key.startsWith('a ') ? perAccount : perReceiver)
  const isFull = (lane: string): boolean => keysOf(lane).some((key) => closed.has(key))
  const release = (key: string): boolean => {
    const left = (held.get(key) ?? 0) - 1
    if (left <= 0) held.delete(key)
    else held.set(key, left)
    return left <= limitOf(key) / 2 && closed.delete(key)
  }
  return {
    batch: Math.floor(perReceiver / 2),
    enter: (lane) => {
      if (lane === undefined) return true
      if (isFull(lane)) {
        refused.add(lane)
        return false
      }
      for (const key of keysOf(lane)) {
        const count = (held.get(key) ?? 0) + 1
        held.set(key, count)
        if (count >= limitOf(key)) closed.add(key)
      }
      if (isFull(lane)) refused.add(lane)
      return true
    },
    leave: (lane) => lane !== undefined && keysOf(lane).map(release).includes(true),
    full: () => {
      for (const lane of refused) if (!isFull(lane)) refused.delete(lane)
      return [...refused]
    },
  }
}

/** The two words of a lane, told apart. */
export function keysOf(lane: string): [account: string, receiver: string] {
  const space = lane.indexOf(' ')
  return [`a ${lane.slice(0, space)}`, `r ${lane.slice(space + 1)}`]
}
