import { type ConcurrencyKeys, count, hasRoom, keysOf, type LimiterOptions } from '../../concurrency/keyed-limiter.ts'

/** How many of those that wait for a receiver may be prepared, so that one statement serves dozens and no delivery waits for it. */
const AHEAD = 64
/** At least so many are prepared at once. */
const TOGETHER = 32
/** Who answers within this is quick: what is prepared for it has its turn long before it is stale. */
const QUICK_MS = 100
/** Who answers within this is prompt: what is held for it moves on. */
const PROMPT_MS = 1000
/** How long an answer tells something about a lane. */
const PACE_KEPT_MS = 1000
/** With more lanes than this, those that were not answered lately are forgotten. */
const MAX_PACES = 1024
/** What was prepared longer ago than this is taken back instead of used: its lease must outlast the attempt. */
const STALE_MS = 1000

/** What is done in a turn. */
export interface Steps<Prepared, Result> {
  /** Also called before the turn, at most `AHEAD` places from it, where the receiver answers quickly. */
  prepare(): Promise<Prepared>
  work(prepared: Prepared): Promise<Result>
  /** Takes back what was prepared and is not going to be used. */
  undo(prepared: Prepared): Promise<void>
}

/** Lets so many attempts run at once per account and per receiver; the others wait their turn, holding no socket. */
export interface AttemptGate {
  /** Takes the steps in their turn. @throws when the gate was closed or `signal` aborted before */
  pass<Prepared, Result>(lane: string, signal: AbortSignal, steps: Steps<Prepared, Result>): Promise<Result>
  /** How many wait for their turn. */
  waiting(): number
  /** Whether the lane's last attempt took less than a second and ended in the last second. */
  isPrompt(lane: string): boolean
  /** Sends away who waits. */
  close(): void
}

interface Waiting {
  readonly go: () => void
  readonly giveUp: (error: Error) => void
  readonly preparation: { isBegun(): boolean; begin(): void }
}

interface GateOptions extends LimiterOptions {
  /** Told of a lane that was not prompt and has become so. */
  readonly onPrompt?: () => unknown
}

/** @param now milliseconds of a clock that never goes back */
export function openAttemptGate(limits: GateOptions, now = () => performance.now()): AttemptGate {
  const turns = openTurns(limits, now)
  return {
    pass: async (lane, signal, steps) => {
      const preparation = openPreparation(steps, now)
      const keys = keysOf(lane)
      await turns.enter(lane, keys, preparation).catch(preparation.rejectWith)
      let started = Number.NEGATIVE_INFINITY
      try {
        if (signal.aborted) return await preparation.rejectWith(signal.reason)
        const prepared = await preparation.fresh()
        started = now()
        return await steps.work(prepared)
      } finally {
        turns.leave(lane, keys, now() - started)
      }
    },
    waiting: turns.waiting,
    isPrompt: turns.isPrompt,
    close: turns.close,
  }
}

interface Line {
  readonly keys: ConcurrencyKeys
  readonly queue: Waiting[]
}

/** A lane leaves its account as many places as it takes: one that comes last finds room, however many of the account's receivers hang. */
const mayGo = (limits: LimiterOptions, inside: ReadonlyMap<string, number>, keys: ConcurrencyKeys): boolean =>
  hasRoom(limits, inside, keys) && limits.perAccount > (inside.get(keys[0]) ?? 0) + (inside.get(keys[2]) ?? 0)

/** Who is inside, who waits, and for whom of them it is worth preparing. */
function openTurns(limits: GateOptions, now: () => number) {
  const inside = new Map<string, number>()
  const waiting = new Map<string, Line>()
  const paces = openPaces(now)
  const isPrompt = (lane: string): boolean => paces.of(lane) < PROMPT_MS
  let crowd = 0
  let closed = false
  /** One place was given back: lanes that share a word with it take turns at what fits now. */
  const admit = (): void => {
    for (const [lane, line] of waiting) {
      const { keys, queue } = line
      if (!mayGo(limits, inside, keys)) {
        if (paces.of(lane) < QUICK_MS) prepareAhead(queue)
        continue
      }
      count(inside, keys, 1)
      crowd--
      waiting.delete(lane)
      const first = queue.shift()!
      // Behind the others: this loop comes by again.
      if (queue.length > 0) waiting.set(lane, line)
      first.go()
    }
  }
  return {
    enter: async (lane: string, keys: ConcurrencyKeys, preparation: Waiting['preparation']): Promise<void> => {
      if (closed) throw stopping()
      if (!waiting.has(lane) && mayGo(limits, inside, keys)) return count(inside, keys, 1)
      await new Promise<void>((resolve, reject) => {
        const line = waiting.get(lane) ?? { keys, queue: [] }
        waiting.set(lane, line)
        crowd++
        line.queue.push({ go: resolve, giveUp: reject, preparation })
      })
    },
    waiting: () => crowd,
    isPrompt,
    leave: (lane: string, keys: ConcurrencyKeys, tookMs: number): void => {
      count(inside, keys, -1)
      const wasPrompt = isPrompt(lane)
      paces.note(lane, tookMs)
      admit()
      if (!wasPrompt && isPrompt(lane)) limits.onPrompt?.()
    },
    close: () => {
      closed = true
      for (const { giveUp } of [...waiting.values()].flatMap(({ queue }) => queue)) giveUp(stopping())
      waiting.clear()
      crowd = 0
    },
  }
}

const stopping = () => new Error('the worker is stopping')

/** Only once some of them are used up, so that many are prepared together while enough are left for the time that takes. */
function prepareAhead(queue: readonly Waiting[]): void {
  if (queue[AHEAD - TOGETHER]?.preparation.isBegun() === true) return
  for (const { preparation } of queue.slice(0, AHEAD)) preparation.begin()
}

/** Milliseconds that each lane's last attempt took, where it ended a short while ago: an account may have a slow path at a quick receiver. */
function openPaces(now: () => number) {
  const last = new Map<string, { readonly tookMs: number; readonly endedAt: number }>()
  const forgetOld = (): void => {
    const old = now() - PACE_KEPT_MS
    for (const [lane, { endedAt }] of last) if (endedAt <= old) last.delete(lane)
  }
  return {
    note: (lane: string, tookMs: number): void => {
      last.set(lane, { tookMs, endedAt: now() })
      if (last.size > MAX_PACES) forgetOld()
      // Of more than that in one second the first ones are forgotten.
      for (const oldest of last.keys()) {
        if (last.size <= 2 * MAX_PACES) break
        last.delete(oldest)
      }
    },
    of: (lane: string): number => {
      const pace = last.get(lane)
      return pace !== undefined && now() - pace.endedAt < PACE_KEPT_MS ? pace.tookMs : Number.POSITIVE_INFINITY
    },
  }
}

/** What was prepared before the turn came, if anything. */
function openPreparation<Prepared>({ prepare, undo }: Steps<Prepared, unknown>, now: () => number) {
  let early: { readonly made: Promise<Prepared>; readonly since: number } | undefined
  return {
    isBegun: () => early !== undefined,
    begin: () => {
      if (early !== undefined) return
      early = { made: prepare(), since: now() }
      // Its failure is reported when its turn comes.
      early.made.catch(() => undefined)
    },
    fresh: async (): Promise<Prepared> => {
      if (early === undefined) return prepare()
      const made = await early.made
      if (now() - early.since < STALE_MS) return made
      await undo(made)
      return prepare()
    },
    rejectWith: async (error: Error): Promise<never> => {
      if (early !== undefined) await undo(await early.made)
      throw error
    },
  }
}
