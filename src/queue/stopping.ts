/** Reasons of ended attempts; the database stores the keys. */
export const ATTEMPT_ENDINGS = {
  stopped: { outcome: 'released', message: 'Its worker was stopped.' },
  no_capacity: { outcome: 'released', message: 'There was no capacity for it yet.' },
  cut_off: { outcome: 'released', message: 'Its worker was cut off from the database.' },
  database_away: { outcome: 'released', message: 'The database was away.' },
  store_away: { outcome: 'released', message: 'The store of its audio was away.' },
  moved: { outcome: 'released', message: 'Its endpoint moved to other workers.' },
  server_unwell: { outcome: 'released', message: 'The speech server of its worker was unwell.' },
  server_lost: { outcome: 'failed', message: 'The speech server of its worker ended.' },
  lookup_failed: { outcome: 'failed', message: 'What it asks for could not be looked up.' },
  record_failed: { outcome: 'failed', message: 'Its result could not be recorded.' },
  worker_lost: { outcome: 'lost', message: 'Its worker was lost.' },
  place_lost: { outcome: 'lost', message: 'Its place in the queue was lost.' },
  replaced: { outcome: 'lost', message: 'Another worker was given the job.' },
  unknown: { outcome: 'lost', message: 'Its worker did not say how it ended.' },
} as const satisfies Record<string, EndingMeaning>

export type AttemptEnding = keyof typeof ATTEMPT_ENDINGS

export type AttemptOutcome = 'completed' | 'failed' | 'released' | 'lost'

interface EndingMeaning {
  readonly outcome: Exclude<AttemptOutcome, 'completed'>
  /** Generic, for the job's owner. */
  readonly message: string
}

interface NotedEnd {
  readonly ending: string
  readonly worker: string
  readonly cause?: string
}

/** Releases a job that is not at fault. */
export class Stopping extends Error {
  override readonly name: string = 'Stopping'
  readonly ending: AttemptEnding = 'stopped'
  readonly isPlanned = true

  constructor(message = 'the worker is stopping') {
    super(message)
  }
}

export class NotSoon extends Stopping {
  override readonly name = 'NotSoon'
  override readonly ending = 'no_capacity'

  constructor() {
    super('there is no capacity for the job soon')
  }
}

/** The attempt counts, because the job may have ended the server. */
export class ServerLost extends Error {
  override readonly name = 'ServerLost'
}

/** Other workers have servers that are well. */
export class ServerUnwell extends Stopping {
  override readonly name = 'ServerUnwell'
  override readonly ending = 'server_unwell'
}

export class StoreAway extends Stopping {
  override readonly name = 'StoreAway'
  override readonly ending = 'store_away'
}

/** An error after which the job is delivered again, so much later. Absent: soon. */
export interface Delayable {
  readonly delaySeconds?: number | undefined
}

/** Other workers may fill the servers that they share. */
export class CutOff extends Stopping {
  override readonly name = 'CutOff'
  override readonly ending = 'cut_off'

  constructor() {
    super('the database has not heard of this worker for too long')
  }
}

/**
 * Records once how jobs' last attempts ended.
 * @param jobs locked, with `id`, `attempt` and `started_at`
 */
export const notingEnds = (jobs: string, { ending, worker, cause = 'null' }: NotedEnd): string => `
  insert into job_attempt as a (job_id, attempt, started_at, ended_at, ending, worker, cause)
  select j.id, j.attempt, case when j.attempt = 1 then j.started_at end, greatest(now(), j.started_at), ${ending}, ${worker}, ${cause}
  from ${jobs} j
  on conflict (job_id, attempt) do update set ended_at = greatest(excluded.ended_at, a.started_at), ending = excluded.ending,
    worker = coalesce(excluded.worker, a.worker), cause = excluded.cause
  where a.ended_at is null
  returning a.job_id`
