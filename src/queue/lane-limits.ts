/** How much of a process a lane may hold. Lanes are two words, `account receiver`, each with a limit of its own. */
export interface LaneLimits {
  /** How many jobs to fetch at once: what a lane that has just got room can surely take. */
  readonly batch: number
  /** Takes a place in the lane, or says that there is none. */
  enter(lane: string | undefined): boolean
  /** Gives a place back, and says whether a lane that was full takes jobs again. */
  leave(lane: string | undefined): boolean
  /** The lanes known to be full: what waits for them may as well stay in the queue. */
  full(): string[]
}

export interface LaneOptions {
  readonly perAccount: number
  /** For an account that has a receiver to itself: half of what all accounts may have there together. */
  readonly perReceiver: number
}

/** Less for lanes that have not shown yet that they are answered, or no longer are: many of them together must not fill the process. */
export interface Doubtful {
  readonly perLane: number
  isPrompt(lane: string): boolean
}

interface Room {
  readonly left: number
  readonly most: number
}

/**
 * Limits of one process. A lane counts as full as soon as it has less room than a fetch may bring: a fetch brings many jobs, and hardly
 * any that must go back.
 */
export function laneLimits(limits: LaneOptions, doubtful?: Doubtful): LaneLimits {
  const batch = Math.ceil(limits.perReceiver / 2)
  const held = new Map<string, number>()
  const known = new Set<string>()
  const roomsOf = (lane: string): Room[] => {
    const rooms = roomsIn(limits, held, lane)
    if (doubtful === undefined || doubtful.isPrompt(lane)) return rooms
    return [...rooms, { left: doubtful.perLane - (held.get(keysOf(lane)[2]) ?? 0), most: doubtful.perLane }]
  }
  const isFull = (lane: string): boolean =>
    roomsOf(lane).some(({ left, most }) => left < Math.max(1, Math.min(batch, Math.ceil(most / 2))))
  const release = (key: string): void => {
    const left = (held.get(key) ?? 0) - 1
    if (left <= 0) held.delete(key)
    else held.set(key, left)
  }
  const reopens = (keys: readonly string[]): boolean =>
    [...known].some((lane) => keysOf(lane).some((key) => keys.includes(key)) && !isFull(lane))
  return {
    batch,
    enter: (lane) => {
      if (lane === undefined) return true
      const fits = roomsOf(lane).every(({ left }) => left > 0)
      if (fits) for (const key of keysOf(lane)) held.set(key, (held.get(key) ?? 0) + 1)
      if (isFull(lane)) known.add(lane)
      return fits
    },
    leave: (lane) => {
      if (lane === undefined) return false
      const keys = keysOf(lane)
      keys.forEach(release)
      return reopens(keys)
    },
    full: () => {
      for (const lane of known) if (!isFull(lane)) known.delete(lane)
      return [...known]
    },
  }
}

/**
 * What a lane may still take, by the account and by the receiver. Of a receiver it gets as much again as is free: one account alone half of
 * the whole, n of them an n + 1th each. So one that comes last finds room, however many of the others hang.
 */
export function roomsIn(limits: LaneOptions, held: ReadonlyMap<string, number>, lane: string): Room[] {
  const [byAccount, byReceiver, own] = keysOf(lane).map((key) => held.get(key) ?? 0) as [number, number, number]
  const share = Math.ceil((2 * limits.perReceiver - byReceiver - own) / 2)
  return [
    { left: limits.perAccount - byAccount, most: limits.perAccount },
    { left: share, most: share + own },
  ]
}

/** What a lane is counted under: the two words of it, told apart, and itself. */
export function keysOf(lane: string): [account: string, receiver: string, own: string] {
  const space = lane.indexOf(' ')
  return [`a ${lane.slice(0, space)}`, `r ${lane.slice(space + 1)}`, `l ${lane}`]
}
