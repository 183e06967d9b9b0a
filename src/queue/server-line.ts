import { NotSoon } from './stopping.ts'

/** A job that will begin within this time is taken ahead: about as long as it takes to take one on a busy machine. */
const LEAD_MS = 100
/** Where jobs take longer than this, taking one when there is room costs nothing to speak of. */
const QUICK_MS = 1000
/** A job that takes this much longer than usual says nothing about when it will end. */
const LATE_SHARE = 1.5
/** A job that begins this soon after another has ended was waiting for the place. */
const PRESSED_MS = 200
/** A job taken ahead is put back after this long: another worker may have room for it. */
const PATIENCE_MS = 1000

/** One job's way past its server. */
export interface Turn {
  /** It has not come yet. */
  readonly isWaiting: boolean
  /** Resolves when the job may go to its server. Rejects with NotSoon, or with the signal's reason. */
  comes(): Promise<void>
  /** The server is done with the job, whatever is still to be done here. */
  end(): void
  /** Nothing is left to be done. Returns whether only now there is room for another. */
  leave(): boolean
}

/** The jobs of this process at one server: so many at once, the others in the order in which they came. */
export interface ServerLine {
  /** Jobs that are at the server now. */
  readonly inside: number
  /** How many more to take: one for every free place, and for every place that is about to get free. */
  readonly room: number
  queueUp(signal: AbortSignal): Turn
  /** To be called when more may be at the server than before. */
  widen(): void
}

/** The lines at the servers whose limit is known. */
export interface ServerLines {
  /** Their room by server. */
  rooms(): ReadonlyMap<string, number>
  /** undefined: as many of its jobs run as there are slots. */
  at(server: string): ServerLine | undefined
  /** Calls `look` whenever there may be more room. */
  watch(look: () => void): void
}

interface LineOptions {
  /** How many may be at the server now; asked whenever a request comes or leaves. */
  most(): number
  /** There may be more room: a place is free, or about to be. */
  onRoom(): void
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number
}

interface Waiter {
  readonly since: number
  begin(): void
  giveUp(): void
}

export function openServerLine({ most, onRoom, now = () => performance.now() }: LineOptions): ServerLine {
  const waiting = new Set<Waiter>()
  const inside = new Set<{ readonly began: number }>()
  let held = 0
  /** How long the last turns took. */
  let usualMs = Number.POSITIVE_INFINITY
  let lastEnd = Number.NEGATIVE_INFINITY
  /** The last job began as soon as there was a place for it: others may wait behind it. */
  let isPressed = false

  const aboutToEnd = (): number => {
    if (!isPressed || usualMs > QUICK_MS || inside.size < most()) return 0
    const isDue = ({ began }: { began: number }) => {
      const elapsed = now() - began
      return elapsed >= usualMs - LEAD_MS && elapsed <= usualMs * LATE_SHARE
    }
    return [...inside].filter(isDue).length
  }
  const roomNow = (): number => {
    const places = most()
    const finishing = held - inside.size - waiting.size
    // Jobs that the server is done with hold memory: no more than two a place.
    return Math.max(0, Math.min(places + aboutToEnd() - inside.size - waiting.size, 2 * places - finishing))
  }
  const enter = (): { began: number } => {
    const stay = { began: now() }
    inside.add(stay)
    isPressed = stay.began - lastEnd < PRESSED_MS
    if (isPressed && usualMs > LEAD_MS && usualMs <= QUICK_MS) setTimeout(onRoom, usualMs - LEAD_MS).unref()
    return stay
  }
  const admit = (): void => {
    for (const next of waiting) {
      if (inside.size >= most()) return
      // A process that slept may have lost the job meanwhile.
      if (now() - next.since > PATIENCE_MS) next.giveUp()
      else next.begin()
    }
  }
  const exit = (stay: { began: number }): void => {
    if (!inside.delete(stay)) return
    lastEnd = now()
    const tookMs = lastEnd - stay.began
    usualMs = Number.isFinite(usualMs) ? (usualMs + tookMs) / 2 : tookMs
    admit()
    // After the next job's request is on its way.
    setImmediate(onRoom)
  }

  return {
    get inside() {
      return inside.size
    },
    get room() {
      return roomNow()
    },
    widen: () => {
      admit()
      onRoom()
    },
    queueUp: (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      promise.catch(() => undefined)
      let stay: { began: number } | undefined
      const settle = () => {
        clearTimeout(timer)
        waiting.delete(waiter)
        signal.removeEventListener('abort', waiter.giveUp)
      }
      const waiter: Waiter = {
        since: now(),
        begin: () => {
          settle()
          stay = enter()
          resolve()
        },
        giveUp: () => {
          settle()
          if (!signal.aborted) isPressed = false
          reject(signal.aborted ? signal.reason : new NotSoon())
        },
      }
      const timer = setTimeout(waiter.giveUp, PATIENCE_MS)
      held++
      waiting.add(waiter)
      signal.addEventListener('abort', waiter.giveUp, { once: true })
      admit()
      return {
        get isWaiting() {
          return waiting.has(waiter)
        },
        comes: () => promise,
        end: () => {
          if (stay !== undefined) exit(stay)
        },
        leave: () => {
          settle()
          if (stay !== undefined) exit(stay)
          const wasFull = roomNow() === 0
          held--
          return wasFull && roomNow() > 0
        },
      }
    },
  }
}
