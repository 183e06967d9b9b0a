import { type Logger, pino } from 'pino'

export type Log = Logger

/** JSON lines on stderr, so that a command's stdout holds nothing but its answer. Texts, keys, secrets and signed URLs are never logged. */
export const openLog = (level: string): Log => pino({ level, base: null }, pino.destination({ dest: 2, sync: true }))
