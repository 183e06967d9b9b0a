import { statfs } from 'node:fs/promises'
import { SHARED_POOLS, SHARED_QUEUES } from '../../catalog/job-kinds.ts'
import { endpointKey } from '../../catalog/voice-endpoint.ts'
import { inTime } from '../../concurrency/in-time.ts'
import type { Parts } from '../../context/context.ts'
import { clockOffsetMs } from '../../db/clock-offset.ts'
import { databaseCondition } from '../../db/connections/database-state.ts'
import { progressOf, readLedger } from '../../db/migrations/ledger.ts'
import { REMEMBERED_MS } from '../../idempotency/remember-response.ts'
import { GRACE_MS as ABANDONED_MS } from '../../jobs/lifecycle/produce.ts'
import { GRACE_MS as HEARD_MS } from '../../jobs/live-parts.ts'
import { retentionBacklogSeconds } from '../../jobs/retention/drop-old-jobs.ts'
import { QUEUE_SCHEMA, queueDepths } from '../../queue/pgboss/queue-depth.ts'
import type { GaugeName, LabelsOf } from '../../telemetry/metrics.ts'
import type { MeasuredParts, Reading } from '../../telemetry/telemetry.ts'
import { SESSION_KEPT_MS } from '../../users/sessions.ts'
import { BODY_KEPT_SECONDS, KEPT_DAYS } from '../../webhooks/delivery/webhook-delivery.ts'
import { engineStates, realTimeFactorOf } from '../../worker/engines/engine-states.ts'
import { DEAD_AFTER_MS } from '../../worker/workers.ts'

const COUNTS_MAX_AGE_MS = 5_000
const CONDITION_MAX_AGE_MS = 60_000
const ANSWER_TIMEOUT_MS = 3_000
const WORKERS = `
  select count(*) filter (where alive)::float8 as alive, count(*) filter (where not alive)::float8 as dead
  from (select heartbeat_at > now() - $1 * interval '1 millisecond' as alive from worker) w`
const WEBHOOKS = `
  select count(*)::float8 as pending,
    coalesce(extract(epoch from now() - min(next_attempt_at) filter (where next_attempt_at <= now())), 0)::float8 as "oldestSeconds"
  from webhook_delivery where state = 'pending'`
/** The limits of accounts and keys that can be used. */
const LIMITS = `
  select "of", count(*) filter (where share >= 0.8 and share < 1)::float8 as near, count(*) filter (where share >= 1)::float8 as "usedUp"
  from (values ('account'), ('key')) kinds ("of") left join (
    select limited."of", case when most = 0 then 1 else
      (select coalesce(sum(u.credits), 0) from monthly_usage u where u.owner_id = limited.id and u.month = usage_month(now())) / most end as share
    from (
      select 'account' as "of", id, monthly_limit as most from account where monthly_limit is not null and disabled_at is null
      union all
      select 'key', id, monthly_limit from api_key where monthly_limit is not null and coalesce(expires_at > now(), true)
    ) limited
  ) shares using ("of") group by "of"`
const KINDS: readonly (readonly [what: string, since: string, keptSeconds: number])[] = [
  [
    'webhook_delivery',
    'select min(finished_at) from webhook_delivery where finished_at is not null',
    KEPT_DAYS * 86_400,
  ],
  [
    'webhook_body',
    'select min(finished_at) from webhook_delivery where finished_at is not null and body is not null',
    BODY_KEPT_SECONDS,
  ],
  ['webhook_secret', 'select min(expires_at) from webhook_secret where expires_at is not null', 0],
  ['idempotency_record', 'select min(created_at) from idempotency_record', REMEMBERED_MS / 1000],
  ['session', 'select min(expires_at) from session', SESSION_KEPT_MS / 1000],
  ['sign_in_link', 'select min(expires_at) from sign_in_link', 0],
  ['abandoned_attempt', 'select min(abandoned_at) from abandoned_attempt where attempt > 0', ABANDONED_MS / 1000],
  ['heard_attempt', 'select min(completed_at) from heard_attempt', HEARD_MS / 1000],
]

const TIDIED = KINDS.map(
  ([what, since, keptSeconds]) => `
  select '${what}' as what, greatest(0, coalesce(extract(epoch from now() - (${since})) - ${keptSeconds}, 0))::float8 as seconds`,
).join(' union all')

const GAUGES = [
  ...(['queue_jobs', 'queue_oldest_age_seconds', 'jobs', 'workers', 'webhook_pending'] as const),
  ...(['monthly_limits', 'webhook_oldest_pending_age_seconds', 'clock_offset_seconds', 'migration_rows'] as const),
  ...(['relation_bytes', 'dead_tuples', 'oldest_transaction_age_seconds', 'replication_lag_bytes'] as const),
  ...(['engine_state', 'engine_speech_seconds', 'engine_real_time_factor'] as const),
  ...(['retention_backlog_seconds', 'data_free_bytes', 'data_size_bytes'] as const),
]

type ReadingParts = Pick<Parts, 'catalog' | 'db' | 'settings' | 'log' | 'now'> & MeasuredParts
type Add = <Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number) => void
type Source = (parts: ReadingParts, add: Add) => Promise<void>

interface Backlog {
  readonly what: string
  readonly seconds: number
}

/**
 * Registers gauges that read the database and the disk. It caches counts for 5 s and sizes for 60 s.
 * @returns a function that never rejects; the metrics leave out readings that fail
 */
export function openDatabaseReadings(parts: ReadingParts): () => Promise<void> {
  const sources = [
    new Cached(parts, readCounts, COUNTS_MAX_AGE_MS),
    new Cached(parts, readEngines, COUNTS_MAX_AGE_MS),
    new Cached(parts, readMigrations, COUNTS_MAX_AGE_MS),
    new Cached(parts, readCondition, CONDITION_MAX_AGE_MS),
    new Cached(parts, readVolume, CONDITION_MAX_AGE_MS),
  ]
  for (const name of GAUGES) parts.telemetry.gauge(name, () => sources.flatMap((source) => source.of(name)))
  return async () => {
    await Promise.all(sources.map((source) => source.refresh()))
  }
}

class Cached {
  readonly #parts: ReadingParts
  readonly #read: Source
  readonly #maxAgeMs: number
  #readings = new Map<GaugeName, Reading<GaugeName>[]>()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(parts: ReadingParts, read: Source, maxAgeMs: number) {
    this.#parts = parts
    this.#read = read
    this.#maxAgeMs = maxAgeMs
  }

  of(name: GaugeName): readonly Reading<GaugeName>[] {
    return this.#readings.get(name) ?? []
  }

  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < this.#maxAgeMs) return
    this.#reading ??= this.#readAgain().finally(() => {
      this.#reading = undefined
    })
    await inTime(ANSWER_TIMEOUT_MS, this.#reading, () => undefined)
    if (performance.now() - this.#readAt > 2 * this.#maxAgeMs) this.#readings = new Map()
  }

  async #readAgain(): Promise<void> {
    const readings = new Map<GaugeName, Reading<GaugeName>[]>()
    try {
      await this.#read(this.#parts, (name, labels, value) => {
        readings.set(name, [...(readings.get(name) ?? []), { labels, value } as Reading<GaugeName>])
      })
      this.#readings = readings
      this.#readAt = performance.now()
    } catch (error) {
      this.#parts.log.debug({ err: (error as Error).message }, 'metrics of the database or the disk could not be read')
    }
  }
}

async function readCounts({ db: { pool, prisma } }: ReadingParts, add: Add): Promise<void> {
  for (const depth of await queueDepths(pool, SHARED_QUEUES)) {
    const shared = SHARED_POOLS.find(({ queue }) => queue === depth.queue)?.pool
    const of = { pool: depth.pool ?? shared ?? depth.queue }
    for (const state of ['waiting', 'delayed', 'running'] as const) add('queue_jobs', { ...of, state }, depth[state])
    add('queue_oldest_age_seconds', of, depth.oldestSeconds ?? 0)
  }
  const jobs = await prisma.jobCount.groupBy({ by: ['type', 'status'], _sum: { jobs: true } })
  for (const { type, status, _sum } of jobs) if (_sum.jobs) add('jobs', { type, status }, Number(_sum.jobs))
  const workers = await pool.query<Record<'alive' | 'dead', number>>(WORKERS, [DEAD_AFTER_MS])
  for (const { alive, dead } of workers.rows) {
    add('workers', { state: 'alive' }, alive)
    add('workers', { state: 'dead' }, dead)
  }
  const webhooks = await pool.query<Record<'pending' | 'oldestSeconds', number>>(WEBHOOKS)
  for (const { pending, oldestSeconds } of webhooks.rows) {
    add('webhook_pending', {}, pending)
    add('webhook_oldest_pending_age_seconds', {}, oldestSeconds)
  }
  const limits = await pool.query<{ of: 'account' | 'key'; near: number; usedUp: number }>(LIMITS)
  for (const { of, near, usedUp } of limits.rows) {
    add('monthly_limits', { of, state: 'near' }, near)
    add('monthly_limits', { of, state: 'used_up' }, usedUp)
  }
  add('clock_offset_seconds', {}, (await clockOffsetMs(pool)) / 1000)
}

/** The slowest of several servers counts. */
async function readEngines(parts: ReadingParts, add: Add): Promise<void> {
  for (const { endpoint, state, servers } of await engineStates(parts)) {
    const of = { endpoint_key: endpointKey(endpoint.slug) }
    add('engine_state', { ...of, state }, 1)
    const spoken = servers.filter(({ tookMs }) => tookMs !== null)
    if (spoken.length === 0) continue
    add('engine_speech_seconds', of, Math.max(...spoken.map(({ tookMs }) => (tookMs ?? 0) / 1000)))
    add('engine_real_time_factor', of, Math.max(...spoken.map((one) => realTimeFactorOf(one) ?? 0)))
  }
}

/** Separate, because a role may lack access to the migration ledger. */
async function readMigrations({ db }: ReadingParts, add: Add): Promise<void> {
  for (const row of (await readLedger(db.pool)) ?? [])
    if (row.state === 'under way') add('migration_rows', { migration: row.name }, progressOf(row).rows)
}

async function readCondition(parts: ReadingParts, add: Add): Promise<void> {
  const condition = await databaseCondition(parts.db.pool, QUEUE_SCHEMA)
  for (const { relation, bytes, deadTuples } of condition.relations) {
    add('relation_bytes', { relation }, bytes)
    add('dead_tuples', { relation }, deadTuples)
  }
  add('oldest_transaction_age_seconds', {}, condition.oldestTransactionSeconds)
  for (const { standby, lagBytes } of condition.standbys) add('replication_lag_bytes', { standby }, lagBytes)
  for (const { what, seconds } of await retentionBacklog(parts)) add('retention_backlog_seconds', { what }, seconds)
}

/** Separate, because a full disk may be why the database is away. */
async function readVolume({ settings }: ReadingParts, add: Add): Promise<void> {
  const volume = await statfs(settings.dataDir)
  add('data_free_bytes', { volume: 'data' }, volume.bavail * volume.bsize)
  add('data_size_bytes', { volume: 'data' }, volume.blocks * volume.bsize)
}

/** How far maintenance lags behind retention, in seconds by kind; 0 if it keeps up. */
async function retentionBacklog(parts: Pick<Parts, 'db' | 'settings' | 'now'>): Promise<Backlog[]> {
  const [{ rows }, { jobs, audio, chats }] = await Promise.all([
    parts.db.pool.query<Backlog>(TIDIED),
    retentionBacklogSeconds(parts),
  ])
  const ofJobs = { job: jobs, artifact: audio, companion_chat: chats }
  return [...rows, ...Object.entries(ofJobs).map(([what, seconds]) => ({ what, seconds }))]
}
