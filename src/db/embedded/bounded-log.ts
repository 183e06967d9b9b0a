import { copyFile, stat, truncate } from 'node:fs/promises'

const MAX_LOG_BYTES = 16 * 2 ** 20
const EVERY_MS = 60_000

/**
 * Copies an oversized server log to `FILE.1` and truncates it, until the returned function is called. A line written in between is
 * lost.
 * @param alone runs its argument unless another process already does
 */
export function boundLog(file: string, alone: (work: () => Promise<void>) => Promise<void>): () => void {
  const isTooLong = async () => (await stat(file)).size > MAX_LOG_BYTES
  const cut = async (): Promise<void> => {
    if (!(await isTooLong())) return
    await copyFile(file, `${file}.1`)
    await truncate(file)
  }
  const poll = async (): Promise<void> => {
    if (await isTooLong()) await alone(cut)
  }
  const pollQuietly = () => void poll().catch(() => undefined)
  pollQuietly()
  const timer = setInterval(pollQuietly, EVERY_MS).unref()
  return () => clearInterval(timer)
}
