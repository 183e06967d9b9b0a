import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import type { Attempt } from './begin-attempt.ts'

const MAX_BATCH = 100

/** Fenced by round and attempt: what another worker has begun since stays as it is. */
const RELEASE = `
with released as (
  update webhook_delivery d set attempt = d.attempt - 1, next_attempt_at = now()
  from unnest($1::text[], $2::int[], $3::int[]) as mine (id, round, number)
  where d.id = mine.id and d.round = mine.round and d.attempt = mine.number and d.state::text = 'pending'
  returning mine.id, mine.round, mine.number
)
delete from webhook_attempt a using released r
where a.delivery_id = r.id and a.round = r.round and a.number = r.number`

export type ReleaseAttempt = (attempt: Attempt) => Promise<void>

/** Takes attempts back of which no byte was sent: as if they had never been begun. */
export function openReleaseAttempt({ db }: Pick<Parts, 'db'>): ReleaseAttempt {
  const releases = new BatchedCalls(MAX_BATCH, async (attempts: readonly Attempt[]) => {
    await db.pool.query({
      name: 'release_attempts',
      text: RELEASE,
      values: [
        attempts.map(({ deliveryId }) => deliveryId),
        attempts.map(({ round }) => round),
        attempts.map(({ number }) => number),
      ],
    })
    return attempts.map(() => undefined)
  })
  return (attempt) => releases.call(attempt)
}
