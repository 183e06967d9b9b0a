import type { PgBoss } from 'pg-boss'
import { Debounce } from '../../concurrency/debounce.ts'
import { SingleFlight } from '../../concurrency/single-flight.ts'
import type { Notifier } from '../../db/notifier.ts'
import type { JobKind } from '../job-kind.ts'
import type { Delivery } from '../job-source.ts'
import type { Queue } from '../queue.ts'
import type { Reservation } from '../reservation.ts'
import { QUEUE_CHANNEL } from './batched-inserts.ts'
import { dequeue } from './dequeue.ts'
import { DuePoll, type Watcher } from './due-poll.ts'
import { enqueueing, queueId } from './enqueue.ts'
import { ensureQueue } from './ensure-queue.ts'
import { releaseWorker, rescueDeliveries } from './release-workers.ts'
import { moveOrphaned, moveTaken, moveWaiting, withdrawOrphaned } from './reroute.ts'

/** Names the job that its worker is to stop. */
export const ABORT_CHANNEL = 'sonant_abort'

/** A worker that was woken polls again by itself as long as it finds something: more wake-ups than this only slow commits down. */
const NOTIFY_SPACING_MS = 5

/** A worker of this process. */
interface LocalWorker {
  /** Takes a wake-up. Returns whether it has a free slot for the work. */
  wake(): boolean
  /** null: it would not begin the job at once. */
  reserve(delivery: Delivery): Reservation | null
}

/** The queue, and what dispatchers need besides. */
export interface BossQueue extends Queue {
  /** Wakes a worker of this process without the way through the database. Returns what ends it. */
  addLocalWorker(kind: JobKind, worker: LocalWorker): () => void
  /** Looks twice a second whether something in the queue may be taken. Returns what ends it. */
  watchDue(kind: JobKind, watcher: Watcher): () => void
  /** Releases fetched jobs that were not begun, unless another worker has them by now. */
  release(kind: JobKind, queueIds: readonly string[], workerId: string): Promise<void>
}

const UNQUEUED = `
  select job_id from unnest($1::text[]) as job_id
  where not exists (
    select from pgboss.job q where q.state in ('created', 'retry', 'active') and q.data->>'jobId' = job_id)`

const WITHDRAW = `delete from pgboss.job where id = $1 and state < 'active'`

/** As if they had never been fetched: neither a retry nor an attempt. */
const RELEASE = `
  update pgboss.job set state = 'created', started_on = null, heartbeat_on = null
  where name = $1 and id = any($2::uuid[]) and state = 'active' and coalesce(data->>'worker', $3) = $3`

/** @param boss opened at the first call for a process that may never need it */
export function bossQueue(boss: () => Promise<PgBoss>, notifier: Notifier): BossQueue {
  const localWorkers = new Map<string, LocalWorker>()
  const duePoll = new DuePoll(boss)
  const queues = new SingleFlight(async (name) => ensureQueue(await boss(), name))
  const prepare = (kind: JobKind) => queues.get(kind.queue)
  const push = new Debounce(
    (name) => void notifier.notify(QUEUE_CHANNEL, name).catch(() => undefined),
    NOTIFY_SPACING_MS,
  )
  const wake = (kind: Pick<JobKind, 'queue'>): boolean => {
    // NOTIFY takes a lock that every commit which notifies waits for: it is left out while this process can do the work itself.
    const isTakenHere = localWorkers.get(kind.queue)?.wake() === true
    if (!isTakenHere) push.call(kind.queue)
    return isTakenHere
  }
  return {
    prepare,
    addLocalWorker: (kind, worker) => {
      localWorkers.set(kind.queue, worker)
      return () => localWorkers.delete(kind.queue)
    },
    reserve: (kind, jobId, concurrencyKey) =>
      localWorkers.get(kind.queue)?.reserve({ id: queueId(jobId), retryCount: 0, jobId, concurrencyKey }) ?? null,
    watchDue: (kind, watcher) => duePoll.watch(kind.queue, watcher),
    ...enqueueing(boss, {
      prepare,
      wake,
      beginsPush: (kind) => !localWorkers.has(kind.queue) && push.begin(kind.queue),
    }),
    release: async (kind, queueIds, workerId) => {
      await (await boss()).getDb().executeSql(RELEASE, [kind.queue, queueIds, workerId])
    },
    ...IN_TRANSACTIONS,
    dequeueing: dequeue,
    wake,
    ...rerouting(boss, prepare, wake),
    ...rescuing(boss, wake),
    abort: (jobId) => {
      notifier.notify(ABORT_CHANNEL, jobId).catch(() => undefined)
    },
  }
}

/** What needs pg-boss's table alone, in the caller's transaction. */
const IN_TRANSACTIONS: Pick<Queue, 'withdraw' | 'unqueued'> = {
  withdraw: async (tx, jobId) => {
    await tx.query(WITHDRAW, [queueId(jobId)])
  },
  unqueued: async (tx, jobIds) => {
    const { rows } = await tx.query<{ job_id: string }>(UNQUEUED, [jobIds])
    return rows.map((row) => row.job_id)
  },
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
    rescue: async (deadAfterMs, workerId) => rescueDeliveries((await boss()).getDb(), deadAfterMs, workerId),
    releaseWorker: async (workerId) => {
      for (const queue of await releaseWorker((await boss()).getDb(), workerId)) wake({ queue })
    },
  }
}
