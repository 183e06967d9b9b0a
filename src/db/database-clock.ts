import type { Pool } from 'pg'
import type { Log } from '../values/log.ts'

const READ_EVERY_MS = 10_000
/** A process begins as exact as it goes on: by some tenths of a millisecond, not by several. */
const FIRST_READINGS = 3
/** The process's own clock does not run this much apart from its stopwatch unless it is set, or the machine has slept. */
const STEP_MS = 1_000

/** The time that the whole installation goes by: the database's. */
interface DatabaseClock {
  /** Needs no round trip: read now and then, and carried on in between by a stopwatch that no process can set. */
  now(): Date
  close(): void
}

/** Where the database's clock stood against the stopwatch: at least `low` and at most `high`, in milliseconds. */
interface Reading {
  readonly low: number
  readonly high: number
}

/** @throws when the database does not answer now; later readings that fail are repeated */
export async function openDatabaseClock(pool: Pick<Pool, 'query'>, log: Pick<Log, 'debug'>): Promise<DatabaseClock> {
  // As early as the database may be: what is made by this clock is never ahead of what PostgreSQL stamps afterwards.
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

/** The first answer takes long, as a connection is made for it and its code has never run. */
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
