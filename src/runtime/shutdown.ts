import { type Closer, closeWithin } from '../concurrency/closing.ts'
import { describeError } from '../errors/describe-error.ts'
import type { Log } from '../values/log.ts'

/** The terminal sends Ctrl-C to the whole group, and npm passes its own on: what comes this close together is one signal. */
const SAME_SIGNAL_MS = 1000
/** What the doors and the workers may take beyond the grace time: to release what still runs, and to close connections. */
const RELEASE_MS = 5000

/** What a process opened so far. */
export interface Opened {
  /** Ends once everything is open, or could not be opened. */
  starting: Promise<unknown>
  /** The doors and the workers: all of them end at once, so that nothing new is taken while a door waits for slow readers. */
  readonly working: Closer[]
  /** What they stand on: ends after them, newest first. Each is bounded by itself, and false where something did not close. */
  readonly ground: (() => Promise<boolean>)[]
  /** Runs first, while everything still works: load balancers are to look elsewhere before a connection is refused. */
  drain?: () => Promise<void>
}

/**
 * SIGTERM and Ctrl-C, from the beginning of a start: closes what was opened and exits 0. A second signal does not wait for what
 * runs, a third for nothing. The signal returned is aborted when the first one comes. Whatever hangs is waited for no longer than the
 * grace time and a few seconds.
 */
export function stopOnSignal(log: Log, opened: Opened, graceMs: number): AbortSignal {
  const stopping = new AbortController()
  let asked = 0
  let latest = Number.NEGATIVE_INFINITY
  let hurry = (): void => undefined
  const hurried = new Promise<void>((resolve) => {
    hurry = resolve
  })
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    log.info({ signal }, 'stopping')
    stopping.abort()
    const started = { what: 'the start', close: () => opened.starting.catch(() => undefined) }
    await Promise.race([closeWithin(started, graceMs + RELEASE_MS, log), hurried])
    await Promise.race([opened.drain?.(), hurried])
    process.exit((await closeAll(log, opened, graceMs, hurried)) ? 0 : 1)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (performance.now() - latest < SAME_SIGNAL_MS) return
    latest = performance.now()
    asked++
    if (asked === 1) void stop(signal)
    else if (asked === 2) hurry()
    else process.exit(130)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return stopping.signal
}

/** Closes everything; `hurried` ends the wait for what works. False where something could not be closed. */
export async function closeAll(log: Log, opened: Opened, graceMs: number, hurried?: Promise<void>): Promise<boolean> {
  let clean = true
  const ended = opened.working.splice(0).map(async (closer) => {
    clean = (await closeWithin(closer, graceMs + RELEASE_MS, log)) && clean
  })
  const working = Promise.all(ended)
  await (hurried === undefined ? working : Promise.race([working, hurried]))
  for (const close of opened.ground.splice(0).reverse()) clean = (await close()) && clean
  return clean
}

/** A server lives on with a rejected promise without a handler; it is a violation to mend all the same. */
export function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => log.error(describeError(reason), 'a promise failed unheard'))
}
