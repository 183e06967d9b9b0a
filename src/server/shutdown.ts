import type { Log } from '../log.ts'

/**
 * SIGTERM and Ctrl-C: closes what was opened, newest first, and exits 0. The doors go first, then the worker finishes or hands
 * back its jobs, then the database goes. A second signal does not wait.
 */
export function stopOnSignal(log: Log, closers: (() => Promise<unknown>)[]): void {
  let stopping = false
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(130)
    stopping = true
    log.info({ signal }, 'stopping')
    let status = 0
    for (const close of closers.reverse()) {
      await close().catch((error: Error) => {
        log.error({ err: error.message }, 'could not stop cleanly')
        status = 1
      })
    }
    process.exit(status)
  }
  process.on('SIGTERM', (signal) => void stop(signal))
  process.on('SIGINT', (signal) => void stop(signal))
}
