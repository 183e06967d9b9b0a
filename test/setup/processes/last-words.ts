import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** Not longer: after SIGKILL a surviving PostgreSQL keeps the output open. */
const LAST_WORDS_MS = 250
/** Several waits, since between two of them output is read: a single one can be over before the first read of a machine that was busy. */
const WAITS = 5

/** To be called with a process that was just started; the result waits, once it has ended, until all that it has written has come. */
export function lastWordsOf(child: ChildProcess): () => Promise<void> {
  const closed = once(child, 'close')
  return async () => {
    let isClosed = false
    const ended = closed.then(() => {
      isClosed = true
    })
    for (let waits = 0; waits < WAITS && !isClosed; waits++) {
      await Promise.race([ended, wait(LAST_WORDS_MS / WAITS, undefined, { ref: false })])
    }
  }
}
