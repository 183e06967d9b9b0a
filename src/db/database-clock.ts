import type { Pool } from 'pg'
import type { Log } from '../values/log.ts'

const READ_EVERY_MS = 10_000
const FIRST_READINGS = 3
/** A larger difference means that the process's clock was set or the machine slept. */
const STEP_MS = 1_000

interface DatabaseClock {
  /** Needs no round trip; an in-process monotonic clock continues the last reading. */
  now(): Date
  close(): void
}

interface Reading {
  readonly low: number
  readonly high: number
}

export async function openDatabaseClock(pool: Pick<Pool, 'query'>, log: Pick<Log, 'debug'>): Promise<DatabaseClock> {
  // The lowest bound, so this clock is never ahead of PostgreSQL's.
  let offset = await firstOffset(pool)
  let step = stepNow()
  let reading = false

  const readAgain = async (): Promise<void> => {
    if (reading) return
    reading = true
    try {
      const { low, high } = await read(pool)
      offset = Math.min(Math.max(offset, low), high)
      step = stepNow()
    } catch (error) {
      log.debug({ err: (error as Error).message }, 'the clock of the database was not read')
    } finally {
      reading = false
    }
  }
  const timer = setInterval(() => void readAgain(), READ_EVERY_MS).unref()
  return {
    now: () => {
      if (Math.abs(stepNow() - step) > STEP_MS) void readAgain()
      return new Date(Math.floor(performance.now() + offset))
    },
    close: () => clearInterval(timer),
  }
}

async function firstOffset(pool: Pick<Pool, 'query'>): Promise<number> {
  let offset = Number.NEGATIVE_INFINITY
  for (let times = 0; times < FIRST_READINGS; times++) offset = Math.max(offset, (await read(pool)).low)
  return offset
}

async function read(pool: Pick<Pool, 'query'>): Promise<Reading> {
  const asked = performance.now()
  const { rows } = await pool.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  )
  const [{ ms } = { ms: Number.NaN }] = rows
  return { low: ms - performance.now(), high: ms - asked }
}

const stepNow = (): number => Date.now() - performance.now()
