import { Transform } from 'node:stream'

/** Rows are let through for so long at a time. */
const TURN_MS = 5
/** Of the time: what PostgreSQL, the disk and this process do for a backup takes no more of the machine. */
const SHARE = 1 / 3
const LONGEST_PAUSE_MS = 100

const pauseAfter = (workedMs: number): number => Math.min((workedMs * (1 - SHARE)) / SHARE, LONGEST_PAUSE_MS)

/**
 * Passes everything on, a third of the time: PostgreSQL, which formats the rows as fast as they are taken, waits in between, and submissions find
 * a processor and the disk free.
 */
export function paced(): Transform {
  let since = performance.now()
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const worked = performance.now() - since
      if (worked < TURN_MS) return done(null, chunk)
      setTimeout(() => {
        since = performance.now()
        done(null, chunk)
      }, pauseAfter(worked))
    },
  })
}

/** The same for work in pieces: to be awaited after each of them, and rests once they have taken a turn. */
export function openTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const worked = performance.now() - since
    if (worked < TURN_MS) return
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(worked)))
    since = performance.now()
  }
}
