import { constants, openSync, writeSync } from 'node:fs'

const MAX_WAITING_BYTES = 4 * 2 ** 20
const RETRY_MS = 5
const LAST_TRY_MS = 1000

/**
 * Writes lines to stderr and never waits for the reader.
 * Lines that the reader does not take wait, up to a bound; further ones are dropped.
 * `onReadAgain` receives their number.
 */
export class LineWriter {
  readonly #fd: number
  readonly #onReadAgain: (dropped: number) => void
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #dropped = 0
  #isRetrying = false

  constructor(onReadAgain: (dropped: number) => void) {
    // Node.js writes to a pipe of stderr without blocking, but blocks on a held terminal.
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

function openTerminal(): number {
  try {
    return openSync('/dev/stderr', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    // The terminal belongs to another user.
    return process.stderr.fd
  }
}

/** Returns the bytes written: 0 for a full pipe, null for one without a reader. */
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
