import type { Pool } from 'pg'
import { until } from './service.ts'

const PROBE = new URL('memory-probe.ts', import.meta.url).href
const MIB = 1024 * 1024
/** A pool closes a connection that it had no use for this long: 10 s. */
const REST_MS = 11_000
const PATIENCE_MS = 60_000
const ANSWER_MS = 20_000
/** Timers that fall together take connections of their own for a moment: so many more are no leak. */
const MORE_CONNECTIONS = 2
/** What is reachable after a garbage collection. Caches and compiled code grow by less; a leak by every job, connection or fault. */
const MORE_LIVE_BYTES = 16 * MIB
/** What the operating system counts: the allocator keeps parts of what a load took for the next one. */
const MORE_RSS_BYTES = 128 * MIB

/** A process of the service that was started with `watchedEnv`. */
export interface Watched {
  /** Its connections' name in PostgreSQL. */
  readonly name: string
  readonly pid: number
  runs(): boolean
  stderr(): string
}

/** What a process held when it had nothing to do. */
export interface AtRest {
  readonly watched: Watched
  readonly connections: number
  readonly liveBytes: number
  readonly rssBytes: number
}

/** The environment of a process whose connections and memory are to be measured. */
export function watchedEnv(databaseUrl: string, name: string): { DATABASE_URL: string; NODE_OPTIONS: string } {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  return { DATABASE_URL: url.href, NODE_OPTIONS: `--import=${PROBE}` }
}

/** Waits until the process, which has done some of its work and has nothing to do now, has let go of what it does not need. */
export async function measureAtRest(pool: Pool, watched: Watched): Promise<AtRest> {
  const since = performance.now()
  let connections = Number.POSITIVE_INFINITY
  const hasRested = async () => {
    connections = Math.min(connections, await connectionsOf(pool, watched))
    return performance.now() - since > REST_MS
  }
  await until(hasRested, REST_MS * 2, `${watched.name} to rest`)
  // What is to be finalised is gone after the second time.
  await memoryOf(watched)
  return { watched, connections, ...(await memoryOf(watched)) }
}

/** Invariant 11: no process has ended, and each comes back to the connections and the memory that it had at rest. */
export async function auditAtRest(pool: Pool, before: AtRest, patienceMs = PATIENCE_MS): Promise<string[]> {
  const { watched } = before
  if (!watched.runs()) return [`a process has ended: ${watched.name}`]
  // One after the other: a garbage collection makes timers fall together, each of which then takes a connection of its own.
  const connections = await untilAtMost(
    () => connectionsOf(pool, watched),
    (now) => now <= before.connections + MORE_CONNECTIONS,
    patienceMs,
  )
  const memory = await untilAtMost(
    () => memoryOf(watched),
    (now) => whatGrew(before, { ...now, connections: 0 }).length === 0,
    patienceMs,
  )
  return whatGrew(before, { connections, ...memory }).map((what) => `${watched.name} ${what}`)
}

/** Measures until it is as it should be, or patience ends: the last figure. */
async function untilAtMost<T>(measure: () => Promise<T>, isBack: (now: T) => boolean, patienceMs: number): Promise<T> {
  let now = await measure()
  const settled = async () => {
    if (!isBack(now)) now = await measure()
    return isBack(now)
  }
  await until(settled, patienceMs, 'rest').catch(() => undefined)
  return now
}

function whatGrew(before: AtRest, now: Omit<AtRest, 'watched'>): string[] {
  const told = (what: 'liveBytes' | 'rssBytes') =>
    `${Math.round(now[what] / MIB)} MiB, and had ${Math.round(before[what] / MIB)}`
  return [
    ...(now.connections > before.connections + MORE_CONNECTIONS
      ? [`keeps ${now.connections} connections, and had ${before.connections}`]
      : []),
    ...(now.liveBytes > before.liveBytes + MORE_LIVE_BYTES ? [`holds ${told('liveBytes')}`] : []),
    ...(now.rssBytes > before.rssBytes + MORE_RSS_BYTES ? [`occupies ${told('rssBytes')}`] : []),
  ]
}

async function connectionsOf(pool: Pool, { name }: Watched): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::integer as count from pg_stat_activity where application_name = $1',
    [name],
  )
  return rows[0]!.count
}

async function memoryOf(watched: Watched): Promise<Pick<AtRest, 'liveBytes' | 'rssBytes'>> {
  const answers = () => [...watched.stderr().matchAll(/^memory (\{.*\})$/gm)].map(([, json]) => json!)
  const known = answers().length
  process.kill(watched.pid, 'SIGUSR2')
  const answer = await until(() => answers()[known], ANSWER_MS, `${watched.name} to tell its memory`)
  const { heapUsed, external, rss } = JSON.parse(answer) as NodeJS.MemoryUsage
  return { liveBytes: heapUsed + external, rssBytes: rss }
}
