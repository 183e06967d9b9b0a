import type { PgBoss } from 'pg-boss'
import { Debounce } from '../../concurrency/debounce.ts'
import { SingleFlight } from '../../concurrency/single-flight.ts'
import type { Notifier } from '../../db/notifier.ts'
import type { JobKind } from '../job-kind.ts'
import type { Delivery, RowUnclaim } from '../job-source.ts'
import type { Queue } from '../queue.ts'
import type { Reservation } from '../reservation.ts'
import { QUEUE_CHANNEL } from './batched-inserts.ts'
import { dequeue } from './dequeue.ts'
import { DuePoll, type Watcher } from './due-poll.ts'
import { canBeTaken, enqueueing, queueId } from './enqueue.ts'
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
  release(kind: JobKind, deliveries: readonly FetchedRow[], workerId: string): Promise<void>
  /** Releases a reservation that is still this process's, and its row with it. Returns whether it was; may be repeated. */
  giveUp(kind: JobKind, reserved: FetchedRow, unclaiming?: RowUnclaim): Promise<boolean>
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

/** It keeps when it was begun: so the next fetch has another number, and neither a repetition nor one that comes late finds this one again. */
const GIVE_UP = `given_up as (
    update pgboss.job set state = 'retry', start_after = now(), heartbeat_on = null
    where name = $1 and id = $2 and retry_count = $3 and state = 'active' returning id
  )`

/** @param boss opened at the first call for a process that may never need it */
export function bossQueue(boss: () => Promise<PgBoss>, notifier: Notifier): BossQueue {
  const localWorkers = new Map<string, LocalWorker>()
  const duePoll = new DuePoll(boss)
  const reservable = new Set<string>()
  const queues = new SingleFlight(async (name) => {
    await ensureQueue(await boss(), name)
    if (await canBeTaken(await boss(), name)) reservable.add(name)
  })
  const prepare = (kind: JobKind) => queues.get(kind.queue)
  const { wake, beginsPush } = waking(localWorkers, notifier)
  return {
    prepare,
    addLocalWorker: (kind, worker) => {
      localWorkers.set(kind.queue, worker)
      return () => localWorkers.delete(kind.queue)
    },
    reserve: (kind, jobId, { concurrencyKey, fairShare }) => {
      const worker = reservable.has(kind.queue) ? localWorkers.get(kind.queue) : undefined
      const place = fairShare === undefined ? { concurrencyKey } : { server: fairShare.server }
      return worker?.reserve({ id: queueId(jobId), retryCount: 0, jobId, ...place }) ?? null
    },
    watchDue: (kind, watcher) => duePoll.watch(kind.queue, watcher),
    ...enqueueing(boss, { prepare, wake, beginsPush }),
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

interface Waking {
  /** Returns whether a worker of this process takes the work. */
  wake(kind: Pick<JobKind, 'queue'>): boolean
  /** Whether the wake-up is to go with the commit. */
  beginsPush(kind: JobKind): boolean
}

function waking(localWorkers: ReadonlyMap<string, LocalWorker>, notifier: Notifier): Waking {
  const push = new Debounce(
    (name) => void notifier.notify(QUEUE_CHANNEL, name).catch(() => undefined),
    NOTIFY_SPACING_MS,
  )
  return {
    wake: (kind) => {
      // NOTIFY takes a lock that every commit which notifies waits for: it is left out while this process can do the work itself.
      const isTakenHere = localWorkers.get(kind.queue)?.wake() === true
      if (!isTakenHere) push.call(kind.queue)
      return isTakenHere
    },
    beginsPush: (kind) => !localWorkers.has(kind.queue) && push.begin(kind.queue),
  }
}

function releasing(boss: () => Promise<PgBoss>): Pick<BossQueue, 'release' | 'giveUp'> {
  return {
    release: async (kind, deliveries, workerId) => {
      const [ids, counts] = [deliveries.map(({ id }) => id), deliveries.map(({ retryCount }) => retryCount)]
      await (await boss()).getDb().executeSql(RELEASE, [kind.queue, ids, counts, workerId])
    },
    giveUp: async (kind, { id, retryCount }, unclaiming) => {
      const also = unclaiming === undefined ? '' : `, ${unclaiming.expressions('exists (select from given_up)', 4)}`
      const values = [kind.queue, id, retryCount, ...(unclaiming?.values ?? [])]
      const text = `with ${GIVE_UP}${also} select id from given_up`
      const { rows } = await (await boss()).getDb().executeSql(text, values)
      return rows.length === 1
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
