import { copyFile, stat, truncate } from 'node:fs/promises'

/** What the log of the embedded server may grow to; what came before is kept next to it, of the same length at most. */
const MAX_LOG_BYTES = 16 * 2 ** 20
const EVERY_MS = 60_000

/**
 * Keeps the log of a running postmaster within bounds until the returned function is called: what has become too long is copied to `FILE.1`
 * and cut off. The postmaster appends, so it goes on at the beginning without being told. A line that is written between the two is lost.
 * @param alone runs its argument unless another process over the same database is at it
 */
export function boundLog(file: string, alone: (work: () => Promise<void>) => Promise<void>): () => void {
  const isTooLong = async () => (await stat(file)).size > MAX_LOG_BYTES
  const cut = async (): Promise<void> => {
    // Another process may have cut it meanwhile.
    if (!(await isTooLong())) return
    await copyFile(file, `${file}.1`)
    await truncate(file)
  }
  const poll = async (): Promise<void> => {
    if (await isTooLong()) await alone(cut)
  }
  // Best effort: a full disk, or a database that has just gone away, leaves it for the next time.
  const pollQuietly = () => void poll().catch(() => undefined)
  pollQuietly()
  const timer = setInterval(pollQuietly, EVERY_MS).unref()
  return () => clearInterval(timer)
}
