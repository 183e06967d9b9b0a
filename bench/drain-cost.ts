import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { median } from './measure.ts'

/** One tick of the clock by which Linux counts processor time. */
const TICK_MS = 10

/** Cost of a run, per job. */
export interface DrainCost {
  readonly databaseMs: number
  readonly workerMs: number
  readonly walBytes: number
}

/** Processor time that a process, and with `withEnded` those of its children that have ended, have used so far. Only Linux tells: NaN elsewhere. */
export function cpuMs(pid: number, withEnded = false): number {
  const ticks = statOf(pid)?.slice(11, withEnded ? 15 : 13) ?? [Number.NaN]
  return ticks.reduce((sum: number, one) => sum + Number(one), 0) * TICK_MS
}

/**
 * Measures what PostgreSQL and a worker use until the returned function is called.
 * @param postmaster PostgreSQL's pid, 0 where it runs elsewhere
 */
export async function measureCost(client: Client, postmaster: number, worker: number) {
  const now = async () => ({ wal: await walBytes(client), database: databaseMs(postmaster), worker: cpuMs(worker) })
  const before = await now()
  return async (jobs: number): Promise<DrainCost> => {
    const after = await now()
    return {
      databaseMs: (after.database - before.database) / jobs,
      workerMs: (after.worker - before.worker) / jobs,
      walBytes: (after.wal - before.wal) / jobs,
    }
  }
}

/** The medians of several runs, as a line of the report. */
export function costNote(costs: readonly DrainCost[]): string {
  const of = (what: keyof DrainCost) => median(costs.map((cost) => cost[what]))
  const [database, worker, wal] = [of('databaseMs').toFixed(2), of('workerMs').toFixed(2), of('walBytes') / 1000]
  return `a job takes ${database} ms of PostgreSQL's processor, ${worker} ms of the worker's, ${wal.toFixed(1)} kB of WAL`
}

/** The process of the PostgreSQL that a client is connected to. */
export async function postmasterOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ directory: string }>(
    `select setting as directory from pg_settings where name = 'data_directory'`,
  )
  const file = join(rows[0]?.directory ?? '', 'postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0
}

/** All of its processes: those that have ended are in the postmaster's own account. */
function databaseMs(postmaster: number): number {
  if (statOf(postmaster) === null) return Number.NaN
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const children = pids.filter((pid) => Number(statOf(pid)?.[1]) === postmaster)
  return children.reduce((sum, pid) => sum + (cpuMs(pid) || 0), cpuMs(postmaster, true))
}

/** The fields behind the name of the command, which may hold blanks; null where there is no such process. */
function statOf(pid: number): string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return null
  }
}

async function walBytes(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`)
  return Number(rows[0]?.bytes)
}
