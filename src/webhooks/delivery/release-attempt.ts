import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import { isDatabaseDown } from '../../errors/database-down.ts'
import type { Attempt } from './begin-attempt.ts'

const MAX_BATCH = 100
/** What holds one batch up keeps the next one waiting no longer, and a row that PostgreSQL refuses fails alone. */
const BATCHES = { longestWaitMs: 250, isOfOne: (error: unknown) => !isDatabaseDown(error) }

/** Fenced by round and attempt: what another worker has begun since stays as it is. Once it is taken back, its number comes again. */
const RELEASE = `
with released as (
  update webhook_delivery d set attempt = d.attempt - 1, next_attempt_at = now()
  from unnest($1::text[], $2::int[], $3::int[]) as mine (id, round, number)
  where d.id = mine.id and d.round = mine.round and d.attempt = mine.number and d.state::text = 'pending'
  returning mine.id, mine.round, mine.number
), erased as (
  delete from webhook_attempt a using released r
  where a.delivery_id = r.id and a.round = r.round and a.number = r.number
)
select from released`

export type ReleaseAttempt = (attempt: Attempt) => Promise<void>

/** Takes attempts back of which no byte was sent: as if they had never been begun. */
export function openReleaseAttempt({ db }: Pick<Parts, 'db'>): ReleaseAttempt {
  const release = async (attempts: readonly Attempt[]) => {
    await db.pool.query({ name: 'release_attempts', text: RELEASE, values: valuesOf(attempts) })
    return attempts.map(() => undefined)
  }
  const releases = new BatchedCalls(MAX_BATCH, release, BATCHES)
  return (attempt) => releases.call(attempt)
}

const valuesOf = (attempts: readonly Attempt[]): unknown[] => [
  attempts.map(({ deliveryId }) => deliveryId),
  attempts.map(({ round }) => round),
  attempts.map(({ number }) => number),
]
