import { takeRows } from '../../concurrency/batch-calls.ts'
import type { Database } from '../../db/database.ts'
import { isDatabaseDown, isDatabaseError } from '../../errors/outages.ts'
import type { JobKind } from '../job-kind.ts'
import { countIn, type Delivery, type JobSource, type Origin, type Room, type RowClaim } from '../job-source.ts'
import type { BossQueue } from './boss-queue.ts'

const TAKE = `
  queued as materialized (
    select id as delivery, retry_count as deliveries, job_id as queued_job, account_id as turn, server, queued_origin($1, id) as origin, place
    from claim_queued($1, $2, $3, $4, $5) with ordinality as taken (id, retry_count, job_id, account_id, server, place)
  )`
/** Two settings of the transaction, which the claim makes where owners have limits. */
const MET_LIMITS = `current_setting('sonant.met_limits', true) is not distinct from 'on'`
const MOVED_JOBS = `current_setting('sonant.moved_jobs', true) is not distinct from 'on'`
/** A claim that met limits and took nothing is answered with one row without a delivery. */
const answer = (more = '') => `
  select *, ${MET_LIMITS} as met_limits, ${MOVED_JOBS} as moved_jobs from (select) one left join queued q on true ${more}
  where q.delivery is not null or ${MET_LIMITS} order by q.place`
const ALONE = `with ${TAKE} ${answer()}`

interface FairOptions {
  readonly db: Database
  readonly kind: JobKind
  readonly workerId: string
  readonly queue?: Pick<BossQueue, 'dueSince'>
  /** Absent: jobs of both kinds share what is free. */
  readonly rooms?: () => readonly Room[]
  readonly rowClaim?: RowClaim | undefined
}

interface Claimed extends Delivery {
  readonly accountId: string
  readonly isAwaited: boolean
}

interface Turn {
  /** The next account in order comes first. */
  readonly served: string
  /** The same among awaited jobs. */
  readonly awaited: string
  /** Awaited jobs in a row; after three another job is taken. */
  readonly inARow: number
}

interface QueueClaim {
  readonly queue: string
  readonly free: number
  readonly after: Turn
  readonly workerId: string
  readonly rooms: readonly Room[]
  /** No job became due before it; absent or null: unknown. */
  readonly since?: Date | null | undefined
}

interface Row {
  met_limits: boolean
  moved_jobs: boolean
  delivery: string | null
  id?: string | null
  deliveries: number
  queued_job: string
  turn: string
  server: string
  origin: (Origin & { readonly awaited?: boolean }) | null
}

type DeliveryRow = Row & { readonly delivery: string }

interface Answer {
  readonly deliveries: readonly Claimed[]
  /** True if limits of running jobs may have held others back. */
  readonly metLimits: boolean
  /** True if the next claim sees jobs behind those of a key without a place. */
  readonly movedJobs: boolean
}

/** Serves accounts round robin within each server's capacity. */
export function fairSource({ db, kind, workerId, queue, rooms = () => [], rowClaim }: FairOptions): JobSource {
  const mine = { queue: kind.queue, workerId }
  let turn: Turn = { served: '', awaited: '', inARow: 0 }
  let answerLost = false
  /** No job waited at the last claim, and none was queued since. */
  let isEmpty = false
  /** The end of any job may make a place for one that the last claim left. */
  let metLimits = false
  let invalidations = 0
  return {
    take: async (free, known) => {
      if (isEmpty) return { deliveries: [], more: false }
      const before = invalidations
      try {
        if (answerLost) await releaseUnknown(db, { ...mine, known })
        answerLost = false
        const claim = { ...mine, free, after: turn, rooms: rooms(), since: queue?.dueSince(kind) }
        const { deliveries, ...limits } = await claimQueued(db, claim, rowClaim).catch((error: unknown) => {
          // PostgreSQL refused a row and took nothing. Without row claims, only that job fails.
          if (rowClaim === undefined || !isDatabaseError(error) || isDatabaseDown(error)) throw error
          return claimQueued(db, claim)
        })
        turn = deliveries.reduce(nextTurn, turn)
        metLimits = limits.metLimits
        isEmpty = invalidations === before && !metLimits && leavesNone(claim, deliveries)
        return { deliveries, more: limits.movedJobs || mayBringMore(claim, deliveries) }
      } catch (error) {
        answerLost = true
        throw error
      }
    },
    left: (_delivery, free) => metLimits || (free > 0 && !isEmpty),
    invalidate: () => {
      invalidations++
      isEmpty = false
    },
  }
}

/** True if the claim took all jobs that were due: several of them may have left others of their accounts. */
const leavesNone = ({ rooms }: Pick<QueueClaim, 'rooms'>, taken: readonly Claimed[]): boolean =>
  rooms.length === 2 && taken.length <= 1 && rooms.every((room) => hasSpare(room, taken))

function hasSpare(room: Room, taken: readonly Claimed[]): boolean {
  const { free, limits, full } = room
  const servers = taken.map(({ server = '' }) => (limits.has(server) ? server : ''))
  const isSpare = ([server, limit]: [string, number]): boolean => limit > Number(servers.includes(server))
  return full.length === 0 && free > countIn(room, taken) && [...limits].every(isSpare)
}

/** True if a room that got several jobs is not full. */
const mayBringMore = ({ free, rooms }: Pick<QueueClaim, 'free' | 'rooms'>, taken: readonly Claimed[]): boolean =>
  rooms.length === 0 ? isBetween(taken.length, free) : rooms.some((room) => isBetween(countIn(room, taken), room.free))

const isBetween = (count: number, free: number): boolean => count > 1 && count < free

const nextTurn = (turn: Turn, taken: { readonly accountId: string; readonly isAwaited: boolean }): Turn =>
  taken.isAwaited
    ? { ...turn, awaited: taken.accountId, inARow: turn.inARow + 1 }
    : { ...turn, served: taken.accountId, inARow: 0 }

const withRows = (rowClaim: RowClaim): string =>
  `with ${TAKE}, ${rowClaim('array(select queued_job from queued)')}
  ${answer('left join claimed c on c.id = q.queued_job')}`

/**
 * Takes jobs in turn of their accounts.
 * @param rowClaim claims the jobs' rows in the same statement
 */
export async function claimQueued(db: Database, claim: QueueClaim, rowClaim?: RowClaim): Promise<Answer> {
  const { queue, free, after, workerId } = claim
  const turn = `${after.served} ${after.awaited} ${Math.min(after.inARow, 3)}`
  const values = [queue, free, turn, workerId, JSON.stringify(roomsOf(claim))]
  const since = performance.now()
  const { rows } = await db.pool.query<Row>(
    rowClaim === undefined
      ? { name: 'claim_queued', text: ALONE, values }
      : { name: 'claim_queued_rows', text: withRows(rowClaim), values },
  )
  return {
    deliveries: deliveriesOf(rows.filter(isDelivery), since),
    metLimits: rows.some(({ met_limits: met }) => met),
    movedJobs: rows.some(({ moved_jobs: moved }) => moved),
  }
}

const isDelivery = (row: Row): row is DeliveryRow => row.delivery !== null

function deliveriesOf(rows: readonly DeliveryRow[], since: number): Claimed[] {
  const claimed = new Map(rows.flatMap((row) => (row.id ? [[row.id, { row, since }]] : [])))
  const dealt = takeRows(
    rows.map((row) => row.queued_job),
    new Map(claimed),
  )
  return rows.map((row, index) => ({
    id: row.delivery,
    retryCount: row.deliveries,
    jobId: row.queued_job,
    accountId: row.turn,
    server: row.server,
    isAwaited: row.origin?.awaited === true,
    ...(claimed.has(row.queued_job) && { claimed: dealt[index] ?? null }),
    ...(row.origin !== null && { origin: row.origin }),
  }))
}

/** Servers with their capacity; below `awaited` the same for jobs that somebody waits for, and in `full` accounts that have no room. */
function roomsOf({ rooms, since }: Pick<QueueClaim, 'rooms' | 'since'>): Readonly<Record<string, unknown>> {
  const [awaited, others] = [true, false].map((kind) => rooms.find(({ isAwaited }) => isAwaited === kind))
  return {
    ...(others && Object.fromEntries(others.limits)),
    ...(since && { since }),
    ...(awaited && { awaited: Object.fromEntries(awaited.limits), full: awaited.full }),
  }
}

const RELEASE = `
  update pgboss.job_common set state = 'retry', start_after = now(), heartbeat_on = null
  where name = $1 and state = 'active' and group_id is not null and data->>'worker' = $2 and id <> all($3::uuid[])`

/** Releases deliveries of a claim whose answer was lost. */
async function releaseUnknown(
  db: Database,
  claim: { readonly queue: string; readonly workerId: string; readonly known: readonly string[] },
): Promise<void> {
  await db.pool.query(RELEASE, [claim.queue, claim.workerId, claim.known])
}
