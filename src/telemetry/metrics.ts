interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[]
}

export const PREFIX = 'sonant_'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const JOB_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600]
const STEP_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const counter = <const Labels extends readonly string[]>(help: string, ...labels: Labels) =>
  ({ type: 'counter', help, labels }) as const
const gauge = <const Labels extends readonly string[]>(help: string, ...labels: Labels) =>
  ({ type: 'gauge', help, labels }) as const
const histogram = <const Labels extends readonly string[]>(
  buckets: readonly number[],
  help: string,
  ...labels: Labels
) => ({ type: 'histogram', help, labels, buckets }) as const

/** No label holds an account, key, job, text or path, so each has a bounded number of values. */
export const METRICS = {
  build_info: gauge('What runs: always 1.', 'version', 'role', 'node'),
  http_request_duration_seconds: histogram(
    REQUEST_SECONDS,
    'HTTP requests, from their headers to the end of the answer.',
    ...(['method', 'route', 'status'] as const),
  ),
  graphql_operation_duration_seconds: histogram(
    REQUEST_SECONDS,
    'GraphQL operations by their first root field.',
    ...(['root_field', 'outcome'] as const),
  ),
  graphql_subscriptions: gauge('GraphQL subscriptions that are open.', 'transport'),
  submissions_total: counter('Submissions of jobs.', 'type', 'endpoint_key', 'outcome'),
  rate_limited_total: counter('Requests rejected because their key or session had used up its minute.'),
  jobs_claimed_total: counter('Attempts at jobs that workers began.', 'pool'),
  jobs_requeued_total: counter('Jobs that went back to a queue.', 'reason'),
  jobs_finished_total: counter('Jobs that ended.', 'type', 'pool', 'endpoint_key', 'outcome', 'error_code'),
  job_wait_seconds: histogram(JOB_SECONDS, 'From the submission of a job to its first start.', 'type', 'pool'),
  job_run_seconds: histogram(JOB_SECONDS, 'From the first start of a job to its end.', 'type', 'pool'),
  job_stage_seconds: histogram(STEP_SECONDS, 'The stages of an attempt at a job.', 'stage'),
  audio_seconds_total: counter('Speech that completed jobs hold.', 'pool', 'endpoint_key'),
  render_seconds_total: counter('Time that completed jobs took to be rendered.', 'pool', 'endpoint_key'),
  characters_total: counter('Characters that completed jobs have spoken.', 'pool', 'endpoint_key'),
  credits_total: counter('Credits that were moved, as positive amounts.', 'kind'),
  engine_request_duration_seconds: histogram(STEP_SECONDS, 'Requests to engines.', 'kind', 'server', 'outcome'),
  engine_requests_in_flight: gauge('Requests of this worker that are at a server.', 'server'),
  engine_permits: gauge('Requests that this worker may have at a server.', 'server'),
  engine_permits_expired_total: counter('Times that the permits of this worker ended before they were renewed.'),
  engine_limit: gauge('Requests that all workers together may have at a server.', 'server'),
  engine_down: gauge('1 while a server counts as down for this worker.', 'server'),
  engine_state: gauge("1 for the state in which an endpoint's engine is.", 'endpoint_key', 'state'),
  engine_speech_seconds: gauge("Time that an endpoint's engine took for its last speech.", 'endpoint_key'),
  engine_real_time_factor: gauge('That time for each second of speech.', 'endpoint_key'),
  worker_slots: gauge('Jobs that this worker can run at once, of interactive and of batch jobs each.', 'pool'),
  worker_slots_in_use: gauge('Jobs that this worker runs.', 'pool'),
  worker_last_beat_age_seconds: gauge('Since the last heartbeat of this worker was written.', 'pool'),
  webhook_attempt_duration_seconds: histogram(REQUEST_SECONDS, 'Attempts at webhook deliveries.', 'outcome'),
  webhook_deliveries_total: counter('Webhook deliveries that ended.', 'outcome'),
  webhook_first_attempt_lag_seconds: histogram(JOB_SECONDS, "From a delivery's creation to its first attempt."),
  exports_total: counter('CSV exports that ended.', 'outcome'),
  exports_open: gauge('CSV exports that are open.'),
  export_rows_total: counter('Rows that CSV exports have read.'),
  spill_bytes: gauge('Bytes that wait on disk for slow readers of exports.'),
  storage_operation_duration_seconds: histogram(
    REQUEST_SECONDS,
    'Operations on the store of artifacts.',
    ...(['store', 'operation', 'outcome'] as const),
  ),
  storage_up: gauge('1 while the store takes artifacts; otherwise jobs wait.', 'store'),
  storage_bytes_total: counter('Bytes put into and read from the store of artifacts.', 'direction'),
  db_pool_connections: gauge('Connections of a pool, or outside of both (direct).', 'pool', 'state'),
  db_pool_waiting: gauge('Requests that wait for a connection of a pool.', 'pool'),
  db_pool_acquire_seconds: histogram(STATEMENT_SECONDS, 'Waiting for a connection of a pool.', 'pool'),
  db_pool_timeouts_total: counter('Requests that got no connection of a pool in time.', 'pool'),
  db_statement_duration_seconds: histogram(STATEMENT_SECONDS, 'Named statements.', 'statement'),
  db_connection_losses_total: counter('Connections to PostgreSQL that were lost.', 'connection'),
  bus_connected: gauge('1 while notifications of PostgreSQL arrive.'),
  queue_jobs: gauge('Jobs in the queue of a pool.', 'pool', 'state'),
  queue_oldest_age_seconds: gauge('Since the oldest job that waits in the queue of a pool was submitted.', 'pool'),
  workers: gauge('Workers that live or died within a day.', 'state'),
  jobs: gauge('Jobs that are kept.', 'type', 'status'),
  webhook_pending: gauge('Webhook deliveries that are to be tried again.'),
  webhook_oldest_pending_age_seconds: gauge('Since the oldest webhook delivery that is due could have been tried.'),
  monthly_limits: gauge('Monthly limits that are used by 80 % or more (near), or as a whole (used_up).', 'of', 'state'),
  relation_bytes: gauge('Size of a table with its indexes.', 'relation'),
  dead_tuples: gauge('Dead rows of a table.', 'relation'),
  oldest_transaction_age_seconds: gauge('Since the oldest open transaction began.'),
  replication_lag_bytes: gauge('WAL that a standby has not replayed.', 'standby'),
  data_free_bytes: gauge('Free space.', 'volume'),
  data_size_bytes: gauge('Size of a volume.', 'volume'),
  retention_backlog_seconds: gauge('By how much the oldest kept row is beyond its time.', 'what'),
  migration_rows: gauge('Rows that a migration under way has been through, page by page.', 'migration'),
  clock_offset_seconds: gauge("This machine's clock minus the clock of the database."),
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
type NameOf<Type extends Metric['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]
export type CounterName = NameOf<'counter'>
export type GaugeName = NameOf<'gauge'>
export type HistogramName = NameOf<'histogram'>

export type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]['labels'][number], string>>
