/** How much of a process a lane may hold. Lanes are two words, `account receiver`, each with a limit of its own. */
export interface KeyedLimiter {
  /** How many jobs to fetch at once at most: what a lane that has just got room can surely take. */
  readonly batch: number
  /** What a lane that is not known yet can surely take. */
  readonly leastBatch: number
  /** Takes a place in the lane, or says that there is none. */
  enter(lane: string | undefined): boolean
  /** Gives a place back, and says whether a lane that was full takes jobs again. */
  leave(lane: string | undefined): boolean
  /** Whether a lane that was full takes jobs again, as its attempts are answered promptly now. */
  hasReopened(): boolean
  /** The lanes known to be full: what waits for them may as well stay in the queue. */
  full(): string[]
}

export interface LimiterOptions {
  readonly perAccount: number
  /** For an account that has a receiver to itself: half of what all accounts may have there together. */
  readonly perReceiver: number
}

/** Less for lanes that have not shown yet that they are answered, or no longer are: many of them together must not fill the process. */
interface Doubtful {
  readonly perLane: number
  /** All of an account's lanes in doubt together, however many receivers it names: each gets as much again as is free. */
  readonly perAccount: number
  isPrompt(lane: string): boolean
}

/** What a lane is counted under: its account, its receiver, and itself. */
export type ConcurrencyKeys = readonly [account: string, receiver: string, own: string]

/**
 * Limits of one process. A lane counts as full as soon as it has less room than a fetch may bring: a fetch brings many jobs, and hardly
 * any that must go back.
 */
export function openKeyedLimiter(limits: LimiterOptions, doubtful?: Doubtful): KeyedLimiter {
  const batch = Math.ceil(limits.perReceiver / 2)
  const held = new Map<string, number>()
  const doubts = openDoubts(doubtful)
  const known = new Map<string, ConcurrencyKeys>()
  const isShort = (left: number, most: number): boolean => left < Math.max(1, Math.min(batch, Math.ceil(most / 2)))
  const isFull = (lane: string, keys: ConcurrencyKeys): boolean => {
    const own = held.get(keys[2]) ?? 0
    const [share, doubt, trust] = [shareOf(limits, held, keys), doubts.perLane(lane), doubts.left(lane, keys)]
    return (
      isShort(limits.perAccount - (held.get(keys[0]) ?? 0), limits.perAccount) ||
      isShort(share, share + own) ||
      isShort(doubt - own, doubt) ||
      isShort(trust, trust + own)
    )
  }
  const reopens = ([account, receiver]: ConcurrencyKeys): boolean => {
    for (const [lane, keys] of known) {
      if ((keys[0] === account || keys[1] === receiver) && !isFull(lane, keys)) return true
    }
    return false
  }
  return {
    batch,
    leastBatch: Math.min(batch, doubtful?.perLane ?? batch),
    enter: (lane) => {
      if (lane === undefined) return true
      const keys = keysOf(lane)
      const isTrusted = (held.get(keys[2]) ?? 0) < doubts.perLane(lane) && doubts.left(lane, keys) > 0
      const fits = hasRoom(limits, held, keys) && isTrusted
      if (fits) count(held, keys, 1)
      if (fits) doubts.enter(lane, keys)
      if (isFull(lane, keys)) known.set(lane, keys)
      return fits
    },
    leave: (lane) => {
      if (lane === undefined) return false
      const keys = keysOf(lane)
      count(held, keys, -1)
      doubts.leave(keys)
      return reopens(keys)
    },
    hasReopened: () => [...known].some(([lane, keys]) => !isFull(lane, keys)),
    full: () => {
      for (const [lane, keys] of known) if (!isFull(lane, keys)) known.delete(lane)
      return [...known.keys()]
    },
  }
}

/** Counts what was taken in doubt, of each account and lane: the first to leave a lane are taken for those. */
function openDoubts(doubtful: Doubtful | undefined) {
  const taken = new Map<string, number>()
  const isInDoubt = (lane: string): boolean => doubtful?.isPrompt(lane) === false
  return {
    perLane: (lane: string): number => (isInDoubt(lane) ? doubtful!.perLane : Number.POSITIVE_INFINITY),
    /** What the lane's account may still take in doubt for it: as much again as is free. */
    left: (lane: string, [account, , own]: ConcurrencyKeys): number =>
      isInDoubt(lane)
        ? Math.ceil((doubtful!.perAccount - (taken.get(account) ?? 0) - (taken.get(own) ?? 0)) / 2)
        : Number.POSITIVE_INFINITY,
    enter: (lane: string, [account, , own]: ConcurrencyKeys): void => {
      if (isInDoubt(lane)) count(taken, [account, own], 1)
    },
    leave: ([account, , own]: ConcurrencyKeys): void => {
      if (taken.has(own)) count(taken, [account, own], -1)
    },
  }
}

/** So many lanes are remembered told apart; then they are forgotten together. */
const MAX_KNOWN_LANES = 4096

const knownKeys = new Map<string, ConcurrencyKeys>()

/** The two words of a lane, told apart, and the whole: a few lanes are asked for thousands of times a second. */
export function keysOf(lane: string): ConcurrencyKeys {
  const known = knownKeys.get(lane)
  if (known !== undefined) return known
  const space = lane.indexOf(' ')
  const keys: ConcurrencyKeys = [`a ${lane.slice(0, space)}`, `r ${lane.slice(space + 1)}`, `l ${lane}`]
  if (knownKeys.size >= MAX_KNOWN_LANES) knownKeys.clear()
  knownKeys.set(lane, keys)
  return keys
}

/** Whether one more of the lane fits. */
export const hasRoom = (limits: LimiterOptions, held: ReadonlyMap<string, number>, keys: ConcurrencyKeys): boolean =>
  limits.perAccount > (held.get(keys[0]) ?? 0) && shareOf(limits, held, keys) > 0

export function count(held: Map<string, number>, keys: readonly string[], change: 1 | -1): void {
  for (const key of keys) {
    const now = (held.get(key) ?? 0) + change
    if (now > 0) held.set(key, now)
    else held.delete(key)
  }
}

/**
 * What a lane may still take of its receiver: it gets as much again as is free. One account alone has half of the whole, n of them an
 * n + 1th each: so one that comes last finds room, however many of the others hang.
 */
const shareOf = (
  limits: LimiterOptions,
  held: ReadonlyMap<string, number>,
  [, receiver, own]: ConcurrencyKeys,
): number => Math.ceil((2 * limits.perReceiver - (held.get(receiver) ?? 0) - (held.get(own) ?? 0)) / 2)
