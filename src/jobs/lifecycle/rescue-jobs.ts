import { endpointRoute, workflowRoute } from '../../catalog/engine-server.ts'
import { slugOfKey } from '../../catalog/voice-endpoint.ts'
import { workflowSlug } from '../../catalog/workflow.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { tryLock } from '../../db/lock.ts'
import type { QueueRoute } from '../../queue/queue.ts'
import { noteLostPlaces } from '../attempts/note-end.ts'
import { JobFailure, type QueuedType, queuedTypeSql } from '../job-states.ts'
import { failJob } from './fail-job.ts'
import type { EndingParts } from './job-end.ts'

/** Younger jobs may just be between their commit and their first delivery. */
const SETTLED_AFTER = `interval '30 seconds'`
const PAGE_ROWS = 1000
/** Any number: only one process rescues at a time. */
const LOCK = 7_242_001

interface Row {
  id: string
  account_id: string
  type: QueuedType
  endpoint_key: string
  attempt: number
}

/**
 * Queues unfinished voice and generation jobs again whose queue row is gone, whatever took it, so that every accepted job ends.
 * One whose endpoint or workflow is gone too has no queue to go to: it fails with QUEUE_FAILED. Returns how many there were.
 */
export async function rescueJobs(parts: EndingParts): Promise<number> {
  const unroutable: Row[] = []
  // What another process applied a moment ago is not gone.
  await parts.catalog.reload()
  const count = await inTransaction(parts.db, async (tx) => {
    if (!(await tryLock(tx, LOCK))) return 0
    let count = 0
    for (let after = ''; ; ) {
      const page = await unfinishedJobs(tx, after)
      const last = page.at(-1)
      if (last === undefined) return count
      after = last.id
      count += await rescuePage(parts, tx, page, unroutable)
    }
  })
  const requeued = count - unroutable.length
  if (requeued > 0) parts.telemetry.count('jobs_requeued_total', { reason: 'place_lost' }, requeued)
  for (const { id, account_id, attempt } of unroutable) {
    const failure = new JobFailure('QUEUE_FAILED', 'its queue row is gone, and so is what it was submitted to')
    await failJob(parts, { jobId: id, accountId: account_id, attempt }, failure)
  }
  return count
}

async function unfinishedJobs(tx: Tx, after: string): Promise<Row[]> {
  const { rows } = await tx.query<Row>(
    `select id, account_id, type, endpoint_key, attempt from job
     where status in ('queued', 'processing') and ${queuedTypeSql('type')} and id > $1 and created_at < now() - ${SETTLED_AFTER}
     order by id limit ${PAGE_ROWS}`,
    [after],
  )
  return rows
}

async function rescuePage(parts: EndingParts, tx: Tx, jobs: readonly Row[], unroutable: Row[]): Promise<number> {
  const lost = new Set(
    await parts.queue.unqueued(
      tx,
      jobs.map(({ id }) => id),
    ),
  )
  const begun: string[] = []
  for (const job of jobs.filter(({ id }) => lost.has(id))) {
    const route = routeOf(parts, job)
    if (route === null) {
      unroutable.push(job)
      continue
    }
    if (job.attempt > 0) begun.push(job.id)
    await parts.queue.enqueueAgain(tx, route.kind, job.id, {
      fairShare: { accountId: job.account_id, server: route.server },
    })
  }
  if (begun.length > 0) await noteLostPlaces(tx, begun)
  return lost.size
}

/** null where nothing says any more which queue that is. */
function routeOf({ catalog }: EndingParts, { type, endpoint_key: key }: Row): QueueRoute | null {
  if (type === 'generate') {
    const workflow = catalog.current.workflows.get(workflowSlug(key))
    return workflow === undefined ? null : workflowRoute(workflow)
  }
  const endpoint = catalog.current.endpoints.get(slugOfKey(key))
  return endpoint === undefined ? null : endpointRoute(endpoint)
}
