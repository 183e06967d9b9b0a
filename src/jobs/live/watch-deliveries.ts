import { ACCOUNT_CHANNEL } from '../../accounts/notify-account.ts'
import { Drain } from '../../concurrency/drain.ts'
import { lazily } from '../../concurrency/single-flight.ts'
import type { Parts } from '../../context/context.ts'
import { type Wanted, wantedKey } from './followers.ts'

const MAX_BATCH = 200
const RETRY_MS = 250
/** A test delivery has no job. */
const JOBS = `select d.id, j.id as "jobId" from webhook_delivery d left join job j on j.id = d.job_id where d.id = any($1)`

type Changed = Pick<Wanted, 'id' | 'accountId'>

interface JobsOfDeliveries {
  /** Says if anybody follows jobs of the account by their deliveries. */
  isWatched(accountId: string): boolean
  want(accountId: string, jobId: string): void
  /** An older program does not name the job of a deleted delivery, so the feed reads all jobs of followers again. */
  wantAll(accountId: string): void
}

/** Wants jobs again whose deliveries have changed. @returns a function that begins to listen */
export function watchDeliveries(
  parts: () => Pick<Parts, 'db' | 'notifier' | 'log'>,
  { isWatched, want, wantAll }: JobsOfDeliveries,
): () => Promise<unknown> {
  const changed = new Drain<string, Changed>({
    maxBatch: MAX_BATCH,
    retryMs: RETRY_MS,
    work: async (batch) => {
      const changes = [...batch.values()]
      const found = { name: 'jobs_of_deliveries', text: JOBS, values: [changes.map(({ id }) => id)] }
      const { rows } = await parts().db.pool.query<{ id: string; jobId: string | null }>(found)
      const jobs = new Map(rows.map(({ id, jobId }) => [id, jobId]))
      for (const { id, accountId } of changes) {
        const jobId = jobs.get(id)
        if (jobId != null) want(accountId, jobId)
      }
      for (const accountId of new Set(changes.flatMap((one) => (jobs.has(one.id) ? [] : [one.accountId]))))
        wantAll(accountId)
    },
    merge: (_older, newer) => newer,
    onFailure: ({ message }) =>
      parts().log.warn({ err: message }, 'changed deliveries could not be read; trying again'),
  })
  const onMessage = (payload: string): void => {
    const [accountId = '', deliveryId, jobId] = payload.split(' ')
    if (deliveryId === undefined || !isWatched(accountId)) return
    const change = { id: deliveryId, accountId }
    if (jobId === undefined) changed.add(wantedKey(change), change)
    else want(accountId, jobId)
  }
  // The feed of jobs reads what it may have missed.
  return lazily(() => parts().notifier.listen(ACCOUNT_CHANNEL, onMessage, () => undefined))
}
