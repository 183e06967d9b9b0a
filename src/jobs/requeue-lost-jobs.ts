import type { Parts } from '../context.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { serverOf } from '../endpoints/engine-server.ts'
import { poolOf } from '../endpoints/voice-endpoint.ts'
import { voiceKind } from '../queue/job-kind.ts'

/** Younger jobs may just be between their commit and their first delivery. */
const SETTLED_AFTER = `interval '30 seconds'`
const PAGE_ROWS = 1000
/** Any number: only one process looks at a time. */
const LOCK = 7_242_001

interface Row {
  id: string
  account_id: string
  endpoint_key: string
}

/**
 * Queues unfinished voice jobs again whose place in the queue is gone, whatever took it, so that every accepted job ends.
 * Returns how many there were.
 */
export async function requeueLostJobs(parts: Parts): Promise<number> {
  return inTransaction(parts.db, async (tx) => {
    const { rows } = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [LOCK])
    if (rows[0]?.mine !== true) return 0
    let count = 0
    for (let after = ''; ; ) {
      const page = await unfinishedJobs(tx, after)
      const last = page.at(-1)
      if (last === undefined) return count
      after = last.id
      count += await requeue(parts, tx, page)
    }
  })
}

async function unfinishedJobs(tx: Tx, after: string): Promise<Row[]> {
  const { rows } = await tx.query<Row>(
    `select id, account_id, endpoint_key from job
     where status in ('queued', 'processing') and type = 'voice' and id > $1 and created_at < now() - ${SETTLED_AFTER}
     order by id limit ${PAGE_ROWS}`,
    [after],
  )
  return rows
}

async function requeue(parts: Parts, tx: Tx, jobs: readonly Row[]): Promise<number> {
  const lost = new Set(
    await parts.queue.unqueued(
      tx,
      jobs.map(({ id }) => id),
    ),
  )
  for (const job of jobs.filter(({ id }) => lost.has(id))) {
    const endpoint = parts.catalog.current.endpoints.get(job.endpoint_key.slice('voice.'.length))
    // Any worker can fail a job whose endpoint is gone.
    const [pool, server] = endpoint === undefined ? ['espeak', 'espeak'] : [poolOf(endpoint), serverOf(endpoint)]
    await parts.queue.enqueueAgain(tx, voiceKind(pool), job.id, { accountId: job.account_id, server })
  }
  return lost.size
}
