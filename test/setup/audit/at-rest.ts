import type { Pool } from 'pg'
import { until } from '../wait.ts'

const PROBE = new URL('memory-probe.ts', import.meta.url).href
const MIB = 1024 * 1024
/** A pool closes a connection that it had no use for this long: 10 s. */
const REST_MS = 11_000
/** Work before the first measurement needs less time: open connections then count for the process. */
const SETTLING_MS = 4_000
/** Rests until what still changes is taken as it is. */
const SETTLING = 3
/** Between two looks: each is a whole garbage collection. */
const LOOK_MS = 500
const SETTLED_BYTES = 8 * MIB
/** Rests until a process that is not at rest has something to answer for. */
const MOST_RESTS = 5
const ANSWER_MS = 20_000
/** Reachable memory after a garbage collection. Caches and compiled code grow by less; a leak by every job, connection or fault. */
const MORE_LIVE_BYTES = 16 * MIB
/** Memory by the operating system's count: the allocator keeps parts of a load for the next one. */
const MORE_RSS_BYTES = 160 * MIB

/** A process of the service that was started with `watchedEnv`. */
interface Watched {
  /** Its connections' name in PostgreSQL. */
  readonly name: string
  readonly pid: number
  runs(): boolean
  stderr(): string
}

interface Memory {
  readonly liveBytes: number
  readonly rssBytes: number
}

/** The holdings of an idle process. */
export interface AtRest extends Memory {
  readonly watched: Watched
}

/** The environment of a process whose connections and memory are to be measured. */
export function watchedEnv(databaseUrl: string, name: string): { DATABASE_URL: string; NODE_OPTIONS: string } {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  return { DATABASE_URL: url.href, NODE_OPTIONS: `--import=${PROBE}` }
}

/** Waits until the process, which has done some of its work and has nothing to do now, neither grows nor shrinks any more. */
export async function measureAtRest(watched: Watched, restMs = SETTLING_MS): Promise<AtRest> {
  let memory = await memoryOf(watched)
  let settledAt = performance.now()
  const isSettled = async () => {
    await pass(LOOK_MS)
    const now = await memoryOf(watched)
    // Engines that warm up take what they need for good.
    if (Math.abs(now.rssBytes - memory.rssBytes) > SETTLED_BYTES) {
      memory = now
      settledAt = performance.now()
    }
    return performance.now() - settledAt > restMs
  }
  await until(isSettled, restMs * SETTLING, `${watched.name} to rest`).catch(() => undefined)
  return { watched, ...(await memoryOf(watched)) }
}

/**
 * Invariant 11: no process has ended; each comes back to the memory that it had at rest, and closes every connection that it has no use
 * for. How many it uses says nothing: that depends on how many timers fall together.
 */
export async function auditAtRest(pool: Pool, { watched, ...before }: AtRest, restMs = REST_MS): Promise<string[]> {
  if (!watched.runs()) return [`a process has ended: ${watched.name}`]
  const { rows } = await pool.query<{ now: string }>('select now()::text as now')
  await pass(restMs)
  const retryBudgetMs = restMs * MOST_RESTS
  const idle = () => idleSince(pool, watched, rows[0]!.now)
  const kept = await untilSo(idle, (connections) => connections === 0, retryBudgetMs)
  const isBack = (now: Memory) => whatGrew(before, now).length === 0
  const memory = await untilSo(() => memoryOf(watched), isBack, retryBudgetMs)
  return [...(kept === 0 ? [] : [`keeps ${kept} connections that it does not use`]), ...whatGrew(before, memory)].map(
    (what) => `${watched.name} ${what}`,
  )
}

const pass = async (milliseconds: number): Promise<void> => {
  const end = performance.now() + milliseconds
  await until(() => performance.now() > end, milliseconds * 2, 'time to pass')
}

/** Measures until it is as it should be, or the retry budget ends: the last figure. */
async function untilSo<T>(measure: () => Promise<T>, isSo: (now: T) => boolean, retryBudgetMs: number): Promise<T> {
  let now = await measure()
  const settled = async () => {
    if (!isSo(now)) now = await measure()
    return isSo(now)
  }
  await until(settled, retryBudgetMs, 'rest').catch(() => undefined)
  return now
}

function whatGrew(before: Memory, now: Memory): string[] {
  const told = (what: keyof Memory) => `${Math.round(now[what] / MIB)} MiB, and had ${Math.round(before[what] / MIB)}`
  return [
    ...(now.liveBytes > before.liveBytes + MORE_LIVE_BYTES ? [`holds ${told('liveBytes')}`] : []),
    ...(now.rssBytes > before.rssBytes + MORE_RSS_BYTES ? [`occupies ${told('rssBytes')}`] : []),
  ]
}

/** The one that listens may have nothing to do for as long as it likes. */
const IDLE_SINCE = `
  select count(*)::integer as count from pg_stat_activity
  where application_name = $1 and state_change < $2::timestamptz and query !~* '^(un)?listen |pg_notify'`

async function idleSince(pool: Pool, { name }: Watched, moment: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(IDLE_SINCE, [name, moment])
  return rows[0]!.count
}

async function memoryOf(watched: Watched): Promise<Memory> {
  const answers = () => [...watched.stderr().matchAll(/^memory (\{.*\})$/gm)].map(([, json]) => json!)
  const known = answers().length
  process.kill(watched.pid, 'SIGUSR2')
  const answer = await until(() => answers()[known], ANSWER_MS, `${watched.name} to tell its memory`)
  const { heapUsed, external, rss } = JSON.parse(answer) as NodeJS.MemoryUsage
  return { liveBytes: heapUsed + external, rssBytes: rss }
}
