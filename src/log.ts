import { type Logger, pino } from 'pino'
import { terminalLog } from './terminal-log.ts'

export type Log = Logger

/**
 * Lines on stderr, so that a command's stdout holds nothing but its answer: JSON, or on a terminal short ones for its reader. Texts,
 * keys, secrets and signed URLs are never logged.
 */
export const openLog = (level: string): Log =>
  pino(
    { level, base: null },
    process.stderr.isTTY ? terminalLog(process.stderr) : pino.destination({ dest: 2, sync: true }),
  )
