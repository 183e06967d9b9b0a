import type { PgBoss } from 'pg-boss'
import { Debounce } from '../../concurrency/debounce.ts'
import { SingleFlight } from '../../concurrency/single-flight.ts'
import type { Notifier } from '../../db/notifier.ts'
import type { JobKind } from '../job-kind.ts'
import type { Delivery } from '../job-source.ts'
import type { Queue } from '../queue.ts'
import { QUEUE_CHANNEL } from './batched-inserts.ts'
import { dequeue } from './dequeue.ts'
import { DuePoll, type Watcher } from './due-poll.ts'
import { enqueueing, queueId } from './enqueue.ts'
import { ensureQueue } from './ensure-queue.ts'
import { releaseWorker, rescueDeliveries } from './release-workers.ts'
import { moveOrphaned, moveTaken, moveWaiting, withdrawOrphaned } from './reroute.ts'
import { workersOf } from './workers-of.ts'

/** Names the job that its worker is to stop. */
export const ABORT_CHANNEL = 'sonant_abort'

/** A worker that was woken polls again by itself as long as it finds something: more wake-ups than this only slow commits down. */
const NOTIFY_SPACING_MS = 5

/** A worker of this process. */
interface LocalWorker {
  /** Takes a wake-up. Returns whether it has a free slot for the work. */
  wake(): boolean
}

/** The queue, and what dispatchers need besides. */
export interface BossQueue extends Queue {
  /** Wakes a worker of this process without the way through the database. Returns what ends it. */
  addLocalWorker(kind: JobKind, worker: LocalWorker): () => void
  /** Looks twice a second whether something in the queue may be taken. Returns what ends it. */
  watchDue(kind: JobKind, watcher: Watcher): () => void
  /** Releases fetched jobs that were not begun, unless another worker has them by now. */
  release(kind: JobKind, deliveries: readonly FetchedRow[], workerId: string): Promise<void>
}

type FetchedRow = Pick<Delivery, 'id' | 'retryCount'>

/** By EXCEPT, which reads each row once: `not exists` is planned by statistics from before the queue filled, perhaps as a loop in a loop. */
const unqueued = (ids: string): string => `
  (${ids}) except select (data->>'jobId') collate "C" from pgboss.job where state in ('created', 'retry', 'active')`

const WITHDRAW = `delete from pgboss.job where id = $1 and state < 'active'`

/** As if they had never been fetched: neither a retry nor an attempt. */
const RELEASE = `
  update pgboss.job q set state = 'created', started_on = null, heartbeat_on = null
  from unnest($2::uuid[], $3::int[]) as mine (id, retry_count)
  where q.name = $1 and q.id = mine.id and q.retry_count = mine.retry_count and q.state = 'active' and coalesce(q.data->>'worker', $4) = $4`

/** @param boss opened at the first call for a process that may never need it */
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
    ...enqueueing(boss, { prepare, wake }),
    ...releasing(boss),
    ...IN_TRANSACTIONS,
    dequeueing: dequeue,
    workersOf,
    wake,
    ...rerouting(boss, prepare, wake),
    ...rescuing(boss, wake),
    abort: (jobId) => {
      notifier.notify(ABORT_CHANNEL, jobId).catch(() => undefined)
    },
  }
}

/** Wakes the workers of a queue. Returns whether one of this process takes the work. */
function waking(localWorkers: ReadonlyMap<string, LocalWorker>, notifier: Notifier) {
  const push = new Debounce(
    (name) => void notifier.notify(QUEUE_CHANNEL, name).catch(() => undefined),
    NOTIFY_SPACING_MS,
  )
  return (kind: Pick<JobKind, 'queue'>): boolean => {
    // NOTIFY takes a lock that every commit which notifies waits for: it is left out while this process can do the work itself.
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

/** What needs pg-boss's table alone, in the caller's transaction or statement. */
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
    rescue: async (deadAfterMs, workerId) => rescueDeliveries((await boss()).getDb(), deadAfterMs, workerId),
    releaseWorker: async (workerId) => {
      for (const queue of await releaseWorker((await boss()).getDb(), workerId)) wake({ queue })
    },
  }
}
