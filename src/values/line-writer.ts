import { constants, openSync, writeSync } from 'node:fs'

/** What may wait for a reader that is slow for a short time. */
const MAX_WAITING_BYTES = 4 * 2 ** 20
const RETRY_MS = 5
/** How long an ending process tries to get rid of what waits. */
const LAST_TRY_MS = 1000

/**
 * Writes lines to stderr and never waits for its reader. A line is written before `write` returns, so that nothing is lost when the process
 * crashes, as long as the reader keeps up. What a full pipe or a held terminal does not take waits, up to some megabytes. Lines beyond that
 * are dropped until all that waits is taken, and those of a pipe without a reader. `onReadAgain` then gets their number: it is written where
 * they are missing.
 */
export class LineWriter {
  readonly #fd: number
  readonly #onReadAgain: (dropped: number) => void
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #dropped = 0
  #isRetrying = false

  constructor(onReadAgain: (dropped: number) => void) {
    // Node opens a pipe or socket of stderr so that writing to it never waits; files are written to at once.
    this.#fd = process.stderr.isTTY ? openTerminal() : process.stderr.fd
    this.#onReadAgain = onReadAgain
    process.on('exit', () => this.#drainAtLast())
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    const isFull = this.#dropped > 0 || this.#waitingBytes + bytes.length > MAX_WAITING_BYTES
    if (this.#waiting.length > 0 && isFull) {
      this.#dropped++
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waiting.length === 1 && !this.#drain()) this.#retry()
  }

  /** False where the reader takes nothing more now. */
  #drain(): boolean {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const written = tryWrite(this.#fd, next)
      const taken = written ?? next.length
      this.#waitingBytes -= taken
      if (taken < next.length) {
        this.#waiting[0] = next.subarray(taken)
        return false
      }
      this.#waiting.shift()
      if (written === null) this.#dropped++
      else this.#sayDropped()
    }
    return true
  }

  #sayDropped(): void {
    if (this.#dropped === 0 || this.#waiting.length > 0) return
    const dropped = this.#dropped
    this.#dropped = 0
    this.#onReadAgain(dropped)
  }

  #retry(): void {
    if (this.#isRetrying) return
    this.#isRetrying = true
    setTimeout(() => {
      this.#isRetrying = false
      if (!this.#drain()) this.#retry()
    }, RETRY_MS).unref()
  }

  #drainAtLast(): void {
    const end = performance.now() + LAST_TRY_MS
    while (!this.#drain() && performance.now() < end) sleep(RETRY_MS)
  }
}

/** The terminal of stderr once more: node has its own wait for as long as its output is held (Ctrl-S, a connection that hangs). */
function openTerminal(): number {
  try {
    return openSync('/dev/stderr', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    // Another user's: it stays as node opened it.
    return process.stderr.fd
  }
}

/** How many bytes were taken; 0 by a full pipe, null by one that has no reader. */
function tryWrite(fd: number, bytes: Buffer): number | null {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : null
  }
}

const sleep = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
