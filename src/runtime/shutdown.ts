import { type Closer, closeWithin } from '../concurrency/closing.ts'
import { describeError } from '../errors/describe-error.ts'
import type { Log } from '../values/log.ts'

/** npm forwards Ctrl-C to a process that also receives it, so close signals count as one. */
const SAME_SIGNAL_MS = 1000
const RELEASE_MS = 5000

export interface Opened {
  starting: Promise<unknown>
  readonly working: Closer[]
  /** Closed afterwards, newest first. Each bounds its own time; false: something did not close. */
  readonly ground: (() => Promise<boolean>)[]
  /** Runs first, so that load balancers leave before connections are refused. */
  drain?: () => Promise<void>
}

/**
 * Closes everything on SIGTERM and Ctrl-C and exits 0.
 * A second signal skips the wait for running work, a third exits at once.
 * @returns a signal that the first one aborts
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

/**
 * @param hurried ends the wait for work
 * @returns false if a part did not close
 */
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

/** A rejection is a bug, but must not end a server. */
export function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => log.error(describeError(reason), 'a promise failed unheard'))
}
