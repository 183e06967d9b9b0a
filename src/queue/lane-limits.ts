/** How much of a process's room a lane may take. Lanes are two words: `account receiver`, each with a limit of its own. */
export interface LaneLimits {
  /** Takes a place in the lane, or says that there is none. */
  enter(lane: string | undefined): boolean
  leave(lane: string | undefined): void
  /** The lanes known to have no place now: what they hold may as well stay in the queue. */
  full(): string[]
}

export interface LaneOptions {
  readonly perAccount: number
  readonly perReceiver: number
}

/** Limits of one process. Lanes that nobody is in or was turned away from are forgotten. */
export function laneLimits({ perAccount, perReceiver }: LaneOptions): LaneLimits {
  const taken = new Map<string, number>()
  const known = new Set<string>()
  const count = (key: string, change: number): void => {
    const left = (taken.get(key) ?? 0) + change
    if (left === 0) taken.delete(key)
    else taken.set(key, left)
  }
  const isFull = (lane: string): boolean => {
    const [account, receiver] = keysOf(lane)
    return (taken.get(account) ?? 0) >= perAccount || (taken.get(receiver) ?? 0) >= perReceiver
  }
  return {
    enter: (lane) => {
      if (lane === undefined) return true
      known.add(lane)
      if (isFull(lane)) return false
      for (const key of keysOf(lane)) count(key, 1)
      return true
    },
    leave: (lane) => {
      if (lane === undefined) return
      for (const key of keysOf(lane)) count(key, -1)
    },
    full: () => {
      for (const lane of known) if (!isFull(lane)) known.delete(lane)
      return [...known]
    },
  }
}

function keysOf(lane: string): [account: string, receiver: string] {
  const space = lane.indexOf(' ')
  return [`a ${lane.slice(0, space)}`, `r ${lane.slice(space + 1)}`]
}
