/** What comes this close together is one Ctrl-C: npm passes its own on to a process that has it from the terminal already. */
const SAME_SIGNAL_MS = 1000

/** Of a shell: 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** The operator has stopped a command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(signal: keyof typeof EXIT_CODES) {
    super('Interrupted: no file was written.')
    this.exitCode = EXIT_CODES[signal]
  }
}

/**
 * Runs work that Ctrl-C and SIGTERM end cleanly: they abort the signal that it gets, and a second one ends the process.
 * @throws Interrupted where it failed because of that
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
    // Once interrupted, the process only closes what it has opened: a signal that comes twice must not break that off.
    if (!interruption.signal.aborted) process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
