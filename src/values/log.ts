import { type Logger, pino } from 'pino'
import { LineWriter } from './line-writer.ts'
import { terminalLog } from './terminal-log.ts'

export type Log = Logger

let lines: LineWriter | undefined

/**
 * Lines on stderr, so that a command's stdout holds nothing but its answer: JSON, or on a terminal short ones for its reader. Texts,
 * keys, secrets and signed URLs are never logged. Nothing waits for the reader of the JSON: what it does not take in time is dropped and
 * counted, and the count is logged when it reads again.
 */
export function openLog(level: string): Log {
  if (process.stderr.isTTY) return pino({ level, base: null }, terminalLog(process.stderr))
  lines ??= new LineWriter(sayDropped)
  return pino({ level, base: null }, lines)
}

/** Whatever the level: only where lines are written can any be dropped. */
function sayDropped(dropped: number): void {
  openLog('warn').warn({ dropped }, 'log lines were dropped: the reader of the log did not keep up')
}
