import type { DestinationStream } from 'pino'
import { pino } from 'pino'
import { printable } from './printable.ts'

const CLOCK_AT = { start: 11, end: 19 } as const

interface Line {
  readonly level: number
  readonly time: number | string
  readonly msg?: string
  readonly [field: string]: unknown
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
