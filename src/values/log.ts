import { hostname } from 'node:os'
import { type Logger, pino } from 'pino'
import { LineWriter } from './line-writer.ts'
import { logScope } from './log-scope.ts'
import { terminalLog } from './terminal-log.ts'
import { VERSION } from './version.ts'

export type Log = Logger

let lines: LineWriter | undefined

/** What every line says of the process that wrote it. */
const origin: { role: string; worker?: string; host: string; pid: number; version: string } = {
  role: 'command',
  host: hostname(),
  pid: process.pid,
  version: VERSION,
}

let added = (): object => ({})

/** Has every further line hold what `read` says, asked for each of them: where the writer of the line stands in a trace. */
export function addToLines(read: () => object): void {
  added = read
}

/** Says what this process is, from its next line on: the command that runs, and its name as a worker. */
export function nameProcess(role: string, worker?: string): void {
  origin.role = role
  if (worker !== undefined) origin.worker = worker
}

/**
 * Lines on stderr, so that a command's stdout holds nothing but its answer: JSON, or on a terminal short ones for its reader. Texts,
 * keys, secrets and signed URLs are never logged. Nothing waits for the reader: what it does not take in time is dropped and
 * counted, and the count is logged when it reads again. JSON lines name their process (`nameProcess`) and what they are about (`inLogScope`),
 * and hold their time as ISO 8601.
 */
export function openLog(level: string): Log {
  lines ??= new LineWriter(sayDropped)
  if (process.stderr.isTTY) return pino({ level, base: null }, terminalLog(lines))
  const mixin = () => ({ ...origin, ...logScope(), ...added() })
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin }, lines)
}

/** Whatever the level: only where lines are written can any be dropped. */
function sayDropped(dropped: number): void {
  openLog('warn').warn({ dropped }, 'log lines were dropped: the reader of the log did not keep up')
}
