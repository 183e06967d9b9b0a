import { constants, openSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { type DestinationStream, type Logger, pino } from 'pino'
import { logScope } from './log-scope.ts'
import { printable } from './printable.ts'
import { VERSION } from './program.ts'

/**
 * Writes lines to stderr and never waits for the reader.
 * Lines that the reader does not take wait, up to a bound; further ones are dropped.
 * `onReadAgain` receives their number.
 */
class LineWriter {
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

const MAX_WAITING_BYTES = 4 * 2 ** 20
const RETRY_MS = 5
const LAST_TRY_MS = 1000

const sleep = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

let lines: LineWriter | undefined

const origin: { role: string; worker?: string; host: string; pid: number; version: string } = {
  role: 'command',
  host: hostname(),
  pid: process.pid,
  version: VERSION,
}

const CLOCK_AT = { start: 11, end: 19 } as const

export type Log = Logger

interface Line {
  readonly level: number
  readonly time: number | string
  readonly msg?: string
  readonly [field: string]: unknown
}

let added = (): object => ({})

export function addToLines(read: () => object): void {
  added = read
}

export function nameProcess(role: string, worker?: string): void {
  origin.role = role
  if (worker !== undefined) origin.worker = worker
}

/**
 * Logs lines on stderr: JSON, or short ones on a terminal.
 * Never logs texts, keys, secrets or signed URLs, and counts lines that the reader does not take.
 */
export function openLog(level: string): Log {
  lines ??= new LineWriter(sayDropped)
  if (process.stderr.isTTY) return pino({ level, base: null }, terminalLog(lines))
  const mixin = () => ({ ...origin, ...logScope(), ...added() })
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin }, lines)
}

function sayDropped(dropped: number): void {
  openLog('warn').warn({ dropped }, 'log lines were dropped: the reader of the log did not keep up')
}

export const terminalLog = (terminal: { write(text: string): unknown }): DestinationStream => ({
  write: (json) => void terminal.write(`${toLine(JSON.parse(json) as Line)}\n`),
})

function toLine({ level, time, msg = '', ...fields }: Line): string {
  const clock = new Date(time).toISOString().slice(CLOCK_AT.start, CLOCK_AT.end)
  const label = level > pino.levels.values.info! ? `${pino.levels.labels[level] ?? level}: ` : ''
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${printable(typeof value === 'string' ? value : summary(value))}`,
  )
  return [clock, `${label}${msg}`, ...shown].join('  ')
}

const summary = (value: unknown): string => (Array.isArray(value) ? String(value.length) : JSON.stringify(value))

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
