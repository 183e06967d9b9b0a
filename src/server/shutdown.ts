import type { Log } from '../log.ts'
import { describeTrouble } from '../trouble.ts'

/** The terminal sends Ctrl-C to the whole group, and npm passes its own on: what comes this close together is one signal. */
const SAME_SIGNAL_MS = 1000

type Closer = () => Promise<unknown>

/** What a process opened so far. */
export interface Opened {
  /** Ends once everything is open, or could not be opened. */
  starting: Promise<unknown>
  /** The doors and the workers: all of them end at once, so that nothing new is taken while a door waits for slow readers. */
  readonly working: Closer[]
  /** What they stand on: ends after them, newest first. */
  readonly ground: Closer[]
}

/**
 * SIGTERM and Ctrl-C, from the first moment of a start: closes what was opened and exits 0. A second signal does not wait for what
 * runs, a third for nothing. The signal returned is aborted when the first one comes.
 */
export function stopOnSignal(log: Log, opened: Opened): AbortSignal {
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
    await Promise.race([opened.starting.catch(() => undefined), hurried])
    process.exit((await closeAll(log, opened, hurried)) ? 0 : 1)
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
export async function closeAll(log: Log, opened: Opened, hurried?: Promise<void>): Promise<boolean> {
  let clean = true
  const closed = (close: Closer) =>
    close().catch((error: unknown) => {
      log.error(describeTrouble(error), 'could not stop cleanly')
      clean = false
    })
  const working = Promise.all(opened.working.splice(0).map(closed))
  await (hurried === undefined ? working : Promise.race([working, hurried]))
  for (const close of opened.ground.splice(0).reverse()) await closed(close)
  return clean
}

/** A server lives on with a promise that nobody waited for; it is a mistake to mend all the same. */
export function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => log.error(describeTrouble(reason), 'a promise failed unheard'))
}
