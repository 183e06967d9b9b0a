/** How much of a process a lane may hold. Lanes are two words, `account receiver`, each with a limit of its own. */
export interface LaneLimits {
  /** How many jobs to fetch at once at most: what a lane that has just got room can surely take. */
  readonly batch: number
  /** What a lane that nobody has been heard of yet can surely take. */
  readonly leastBatch: number
  /** Takes a place in the lane, or says that there is none. */
  enter(lane: string | undefined): boolean
  /** Gives a place back, and says whether a lane that was full takes jobs again. */
  leave(lane: string | undefined): boolean
  /** Whether a lane that was full takes jobs again, as its receiver has become prompt. */
  hasReopened(): boolean
  /** The lanes known to be full: what waits for them may as well stay in the queue. */
  full(): string[]
}

export interface LaneOptions {
  readonly perAccount: number
  readonly perReceiver: number
}

/** Less for receivers that have not shown yet that they answer, or no longer do: many of them together must not fill the process. */
export interface Doubtful {
  readonly perReceiver: number
  isPrompt(receiver: string): boolean
}

/**
 * Limits of one process. A lane counts as full as soon as it has less room than a fetch may bring: a fetch brings many jobs, and hardly
 * any that must go back.
 */
export function laneLimits({ perAccount, perReceiver }: LaneOptions, doubtful?: Doubtful): LaneLimits {
  const batch = Math.ceil(perReceiver / 2)
  const held = new Map<string, number>()
  const known = new Set<string>()
  const mostOf = (key: string): number => {
    if (key.startsWith('a ')) return perAccount
    return doubtful === undefined || doubtful.isPrompt(key) ? perReceiver : doubtful.perReceiver
  }
  const roomOf = (key: string): number => mostOf(key) - (held.get(key) ?? 0)
  const isNarrow = (key: string): boolean => roomOf(key) < Math.min(batch, Math.ceil(mostOf(key) / 2))
  const isFull = (lane: string): boolean => keysOf(lane).some(isNarrow)
  const release = (key: string): void => {
    const left = (held.get(key) ?? 0) - 1
    if (left <= 0) held.delete(key)
    else held.set(key, left)
  }
  const reopens = (keys: readonly string[]): boolean =>
    [...known].some((lane) => keysOf(lane).some((key) => keys.includes(key)) && !isFull(lane))
  return {
    batch,
    leastBatch: Math.min(batch, doubtful?.perReceiver ?? batch),
    enter: (lane) => {
      if (lane === undefined) return true
      const keys = keysOf(lane)
      const fits = keys.every((key) => roomOf(key) > 0)
      if (fits) for (const key of keys) held.set(key, (held.get(key) ?? 0) + 1)
      if (isFull(lane)) known.add(lane)
      return fits
    },
    leave: (lane) => {
      if (lane === undefined) return false
      const keys = keysOf(lane)
      keys.forEach(release)
      return reopens(keys)
    },
    hasReopened: () => [...known].some((lane) => !isFull(lane)),
    full: () => {
      for (const lane of known) if (!isFull(lane)) known.delete(lane)
      return [...known]
    },
  }
}

/** So many lanes are remembered told apart; then they are forgotten together. */
const MAX_KNOWN_LANES = 4096

type Keys = readonly [account: string, receiver: string]

const knownKeys = new Map<string, Keys>()

/** The two words of a lane, told apart: a few lanes are asked for thousands of times a second. */
export function keysOf(lane: string): Keys {
  const known = knownKeys.get(lane)
  if (known !== undefined) return known
  const space = lane.indexOf(' ')
  const keys: Keys = [`a ${lane.slice(0, space)}`, `r ${lane.slice(space + 1)}`]
  if (knownKeys.size >= MAX_KNOWN_LANES) knownKeys.clear()
  knownKeys.set(lane, keys)
  return keys
}
