import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** Not longer: after SIGKILL a surviving PostgreSQL keeps the output open. */
const LAST_WORDS_MS = 250

/** To be called with a process that was just started; the result waits, once it has ended, until all that it has written has come. */
export function lastWordsOf(child: ChildProcess): () => Promise<void> {
  const closed = once(child, 'close')
  return async () => {
    await Promise.race([closed, wait(LAST_WORDS_MS, undefined, { ref: false })])
  }
}
