import { Transform } from 'node:stream'

const TURN_MS = 5
const SHARE = 1 / 3
const LONGEST_PAUSE_MS = 100

const pauseAfter = (workedMs: number): number => Math.min((workedMs * (1 - SHARE)) / SHARE, LONGEST_PAUSE_MS)

/** Passes data through for a third of the time, so that submissions find processor and disk free. */
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

export function openTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const worked = performance.now() - since
    if (worked < TURN_MS) return
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(worked)))
    since = performance.now()
  }
}
