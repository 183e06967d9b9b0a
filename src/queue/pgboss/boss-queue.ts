import type { PgBoss } from 'pg-boss'
import { Debounce } from '../../concurrency/debounce.ts'
import { SingleFlight } from '../../concurrency/single-flight.ts'
import type { Database } from '../../db/database.ts'
import type { Notifier } from '../../db/notifier.ts'
import type { JobKind } from '../job-kind.ts'
import type { Delivery } from '../job-source.ts'
import type { Queue } from '../queue.ts'
import { dequeue } from './dequeue.ts'
import { enqueueing, QUEUE_CHANNEL, queueId } from './enqueue.ts'
import {
  freeDeadWorkers,
  moveOrphaned,
  moveTaken,
  moveWaiting,
  releaseWorker,
  withdrawOrphaned,
} from './release-workers.ts'

export const ABORT_CHANNEL = 'sonant_abort'

/** A notified worker polls until it finds nothing; more notifications slow commits. */
const NOTIFY_SPACING_MS = 5
const HEARTBEAT_SECONDS = 10
const RETRY_LIMIT = 1000
const RETRY_DELAY_SECONDS = 1
/** pg-boss would delete a waiting job after 14 days. */
const RETENTION_SECONDS = 365 * 24 * 3600
const DELETE_AFTER_SECONDS = 60
/** Longer than any job's own time limit. */
const EXPIRE_SECONDS = 30 * 24 * 3600
const NEVER_EXPIRE = 'update pgboss.queue set expire_seconds = $2 where name = $1 and expire_seconds <> $2'

const WORKERS = `
  select data->>'jobId' as job_id, data->>'worker' as worker from pgboss.job_common
  where name = any(array(select name from pgboss.queue)) and id = any($1::uuid[]) and state = 'active' and data->>'worker' is not null`

const QUEUES = 'select name as queue from pgboss.queue'

const POLL_MS = 500

/** A transaction may begin so long before it has an id. */
const MARGIN_MS = 10_000
/** Polls wait no longer for older transactions. A look without a lower bound finds the jobs of those that take longer. */
const SETTLE_MS = 60_000
const WHOLE_LOOK_MS = 300_000

const DUE = `
  select queue, is_due as "isDue", first_due as "firstDue", read_at as "readAt", next_xid as "nextXid", running_from as "runningFrom"
  from due_queues($1, $2)`

interface LocalWorker {
  wake(): boolean
}

export interface BossQueue extends Queue {
  /** Returns a function that removes the worker. */
  addLocalWorker(kind: JobKind, worker: LocalWorker): () => void
  /** Polls the queue twice a second. Returns a function that stops this. */
  watchDue(kind: JobKind, watcher: Watcher): () => void
  /** No job of a watched queue became due before this time; null: unknown. */
  dueSince(kind: JobKind): Date | null
  /** Releases fetched jobs that did not begin, unless another worker has them. */
  release(kind: JobKind, deliveries: readonly FetchedRow[], workerId: string): Promise<void>
}

type FetchedRow = Pick<Delivery, 'id' | 'retryCount'>

interface Watcher {
  onDue(): void
  isDue(): boolean
}

/** PostgreSQL may plan `not exists` as nested loops from outdated statistics. */
const unqueued = (ids: string): string => `
  (${ids}) except select (data->>'jobId') collate "C" from pgboss.job where state in ('created', 'retry', 'active')`

const WITHDRAW = `delete from pgboss.job where id = $1 and state < 'active'`

/** A poll while the job was taken may have passed over times before the last ten seconds. */
const RELEASE = `
  update pgboss.job q set state = 'retry', start_after = greatest(q.start_after, now() - interval '5 s'), started_on = null, heartbeat_on = null
  from unnest($2::uuid[], $3::int[]) as mine (id, retry_count)
  where q.name = $1 and q.id = mine.id and q.retry_count = mine.retry_count and q.state = 'active' and coalesce(q.data->>'worker', $4) = $4`

export function bossQueue(boss: () => Promise<PgBoss>, notifier: Notifier): BossQueue {
  const localWorkers = new Map<string, LocalWorker>()
  const duePoll = new DuePoll(boss)
  const queues = new SingleFlight(async (name) => ensureQueue(await boss(), name))
  const prepare = (kind: JobKind) => queues.get(kind.queue)
  const wake = waking(localWorkers, notifier)
  return {
    prepare,
    addLocalWorker: (kind, worker) => {
      localWorkers.set(kind.queue, worker)
      return () => localWorkers.delete(kind.queue)
    },
    watchDue: (kind, watcher) => duePoll.watch(kind.queue, watcher),
    dueSince: (kind) => duePoll.since(kind.queue),
    ...enqueueing({ prepare, wake }),
    ...releasing(boss),
    ...IN_TRANSACTIONS,
    dequeueing: dequeue,
    workersOf,
    wake,
    wakeAll: (db) => wakeAll(db, wake),
    ...rerouting(boss, prepare, wake),
    ...rescuing(boss, wake),
    abort: (jobId) => {
      notifier.notify(ABORT_CHANNEL, jobId).catch(() => undefined)
    },
  }
}

function waking(localWorkers: ReadonlyMap<string, LocalWorker>, notifier: Notifier) {
  const push = new Debounce(
    (name) => void notifier.notify(QUEUE_CHANNEL, name).catch(() => undefined),
    NOTIFY_SPACING_MS,
  )
  return (kind: Pick<JobKind, 'queue'>): boolean => {
    // NOTIFY takes a lock that every notifying commit waits for, so a process with a free slot skips it.
    const isTakenHere = localWorkers.get(kind.queue)?.wake() === true
    if (!isTakenHere) push.call(kind.queue)
    return isTakenHere
  }
}

function releasing(boss: () => Promise<PgBoss>): Pick<BossQueue, 'release'> {
  return {
    release: async (kind, deliveries, workerId) => {
      const [ids, counts] = [deliveries.map(({ id }) => id), deliveries.map(({ retryCount }) => retryCount)]
      await (await boss()).getDb().executeSql(RELEASE, [kind.queue, ids, counts, workerId])
    },
  }
}

const IN_TRANSACTIONS: Pick<Queue, 'withdraw' | 'unqueued'> = {
  withdraw: async (tx, jobId) => {
    await tx.query(WITHDRAW, [queueId(jobId)])
  },
  unqueued,
}

type Wake = BossQueue['wake']

function rerouting(
  boss: () => Promise<PgBoss>,
  prepare: BossQueue['prepare'],
  wake: Wake,
): Pick<Queue, 'reroute' | 'rerouteDelivery' | 'rerouteOrphaned' | 'withdrawOrphaned'> {
  return {
    reroute: async (move) => {
      const { from, to } = move
      if (from.server === to.server && from.kind.queue === to.kind.queue) return
      await prepare(to.kind)
      await moveWaiting((await boss()).getDb(), move)
      wake(to.kind)
    },
    rerouteDelivery: async (taken) => {
      await prepare(taken.to.kind)
      await moveTaken((await boss()).getDb(), taken)
      wake(taken.to.kind)
    },
    rerouteOrphaned: async (routes) => {
      const queues = await moveOrphaned((await boss()).getDb(), routes)
      for (const queue of new Set(queues)) wake({ queue })
      return queues.length
    },
    withdrawOrphaned: async () => withdrawOrphaned((await boss()).getDb()),
  }
}

function rescuing(boss: () => Promise<PgBoss>, wake: Wake): Pick<Queue, 'rescue' | 'releaseWorker'> {
  return {
    rescue: async (deadAfterMs, workerId) => freeDeadWorkers((await boss()).getDb(), deadAfterMs, workerId),
    releaseWorker: async (workerId) => {
      for (const queue of await releaseWorker((await boss()).getDb(), workerId)) wake({ queue })
    },
  }
}

async function ensureQueue(boss: PgBoss, queue: string): Promise<void> {
  await boss.createQueue(queue, {
    retryLimit: RETRY_LIMIT,
    retryDelay: RETRY_DELAY_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    retentionSeconds: RETENTION_SECONDS,
    deleteAfterSeconds: DELETE_AFTER_SECONDS,
  })
  await boss.getDb().executeSql(NEVER_EXPIRE, [queue, EXPIRE_SECONDS])
}

const workersOf: Queue['workersOf'] = async (db, jobIds) => {
  const values = [jobIds.map(queueId)]
  const { rows } = await db.query<{ job_id: string; worker: string }>({ name: 'workers_of', text: WORKERS, values })
  return new Map(rows.map(({ job_id: jobId, worker }) => [jobId, worker]))
}

async function wakeAll(db: Database, wake: Wake): Promise<void> {
  // Without it, workers find the jobs within half a second.
  const { rows } = await db.pool.query<{ queue: string }>(QUEUES).catch(() => ({ rows: [] }))
  for (const kind of rows) wake(kind)
}

interface Due {
  readonly queue: string
  readonly isDue: boolean
  readonly firstDue: Date | null
  readonly readAt: Date
  readonly nextXid: number
  readonly runningFrom: number
}

/** Finds jobs that no notification announced, such as retries. */
class DuePoll {
  readonly #boss: () => Promise<PgBoss>
  readonly #watchers = new Set<Watcher & { readonly queue: string }>()
  #since: ReadonlyMap<string, Date> = new Map()
  #unsettled: Pick<Due, 'readAt' | 'nextXid'> | undefined
  #lookedWhole = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(boss: () => Promise<PgBoss>) {
    this.#boss = boss
  }

  watch(queue: string, { onDue, isDue }: Watcher): () => void {
    const watcher = { queue, onDue, isDue }
    this.#watchers.add(watcher)
    this.#timer ??= setInterval(() => void this.#ask(), POLL_MS)
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  since(queue: string): Date | null {
    return this.#since.get(queue) ?? null
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const queues = new Set([...this.#watchers].map(({ queue }) => queue))
    // A claim reports the error.
    const due = await this.#due([...queues]).catch(() => {
      this.#forget()
      return queues
    })
    this.#isAsking = false
    for (const { queue, onDue, isDue } of this.#watchers) if (due.has(queue) || isDue()) onDue()
  }

  async #due(queues: readonly string[]): Promise<ReadonlySet<string>> {
    const now = performance.now()
    const isWhole = now - this.#lookedWhole > WHOLE_LOOK_MS
    const since = queues.map((queue) => (isWhole ? null : this.since(queue)))
    const { rows }: { rows: Due[] } = await (await this.#boss()).getDb().executeSql(DUE, [queues, since])
    if (this.#settle(rows) && isWhole) this.#lookedWhole = now
    return new Set(rows.flatMap(({ queue, isDue }) => (isDue ? [queue] : [])))
  }

  /** A transaction that runs may yet commit a job that became due before the jobs of this answer. Returns true if `since` is new. */
  #settle(rows: readonly Due[]): boolean {
    const [first, before] = [rows[0], this.#unsettled]
    if (first === undefined) return false
    if (before !== undefined && first.readAt < before.readAt) return this.#forget()
    const waitedMs = first.readAt.getTime() - (before?.readAt.getTime() ?? 0)
    if (before !== undefined && first.runningFrom < before.nextXid && waitedMs < SETTLE_MS) return false
    const settled = before?.readAt
    this.#unsettled = first
    if (settled === undefined) return false
    const sinceOf = ({ firstDue }: Due) =>
      new Date(Math.min(settled.getTime(), firstDue?.getTime() ?? Number.POSITIVE_INFINITY) - MARGIN_MS)
    this.#since = new Map(rows.map((row) => [row.queue, sinceOf(row)]))
    return true
  }

  /** After an outage a standby may answer, whose clock is behind, and where jobs wait that had been taken. */
  #forget(): false {
    this.#since = new Map()
    this.#unsettled = undefined
    this.#lookedWhole = Number.NEGATIVE_INFINITY
    return false
  }
}
