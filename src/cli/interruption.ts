/** npm forwards Ctrl-C to a process that also receives it from the terminal, so close signals count as one. */
const SAME_SIGNAL_MS = 1000

/** Shell convention: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(signal: keyof typeof EXIT_CODES) {
    super('Interrupted: no file was written.')
    this.exitCode = EXIT_CODES[signal]
  }
}

/**
 * Passes `work` a signal that Ctrl-C and SIGTERM abort; a second one ends the process.
 * @throws Interrupted if `work` fails after the first signal
 */
export async function withInterruption<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  let first = Number.POSITIVE_INFINITY
  const onSignal = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal as keyof typeof EXIT_CODES)
    if (performance.now() - first > SAME_SIGNAL_MS) process.exit(interrupted.exitCode)
    if (interruption.signal.aborted) return
    first = performance.now()
    interruption.abort(interrupted)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    return await work(interruption.signal)
  } catch (error) {
    throw interruption.signal.aborted ? interruption.signal.reason : error
  } finally {
    if (!interruption.signal.aborted) process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
