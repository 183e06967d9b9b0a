import { hostname } from 'node:os'
import { type Logger, pino } from 'pino'
import { LineWriter } from './line-writer.ts'
import { logScope } from './log-scope.ts'
import { terminalLog } from './terminal-log.ts'
import { VERSION } from './version.ts'

export type Log = Logger

let lines: LineWriter | undefined

const origin: { role: string; worker?: string; host: string; pid: number; version: string } = {
  role: 'command',
  host: hostname(),
  pid: process.pid,
  version: VERSION,
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
