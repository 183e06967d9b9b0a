import { routeOfJob } from '../../catalog/job-kinds.ts'
import { inTransaction } from '../../db/database.ts'
import { tryLock } from '../../db/lock.ts'
import { lockUnqueued, type QueuedRows } from '../../queue/lock-unqueued.ts'
import { noteLostPlaces } from '../attempts/record-attempt-end.ts'
import { isAwaited, type JobOptions } from '../job-shape.ts'
import { JobFailure, queuedTypeSql } from '../job-states.ts'
import { type EndingParts, endJob } from './end-jobs.ts'

/** Younger jobs may wait for their first delivery. */
const SETTLED_AFTER = `interval '30 seconds'`
const LOCK = 7_242_001

const UNFINISHED: QueuedRows = {
  table: 'job',
  columns: 'id, account_id, endpoint_key, attempt, options',
  condition: `status in ('queued', 'processing') and ${queuedTypeSql('type')} and created_at < now() - ${SETTLED_AFTER}`,
}

interface Row {
  id: string
  account_id: string
  endpoint_key: string
  attempt: number
  options: JobOptions | null
}

interface Rescued {
  readonly requeued: number
  readonly unroutable: readonly Row[]
  readonly last?: string
}

/**
 * Queues unfinished jobs without a queue row again. A job whose endpoint is gone fails with QUEUE_FAILED.
 * @returns their number
 */
export async function requeueLostJobs(parts: EndingParts): Promise<number> {
  const unroutable: Row[] = []
  let requeued = 0
  // Another process may have just published an endpoint.
  await parts.catalog.reload()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Rescued = await rescuePage(parts, after)
    if (page.requeued > 0) parts.telemetry.count('jobs_requeued_total', { reason: 'place_lost' }, page.requeued)
    requeued += page.requeued
    unroutable.push(...page.unroutable)
    after = page.last
  }
  for (const { id, account_id, attempt } of unroutable) {
    const failure = new JobFailure('QUEUE_FAILED', 'its queue row is gone, and so is what it was submitted to')
    await endJob(parts, { jobId: id, accountId: account_id, attempt, failure })
  }
  return requeued + unroutable.length
}

async function rescuePage(parts: EndingParts, after: string): Promise<Rescued> {
  return inTransaction(parts.db, async (tx) => {
    const unroutable: Row[] = []
    if (!(await tryLock(tx, LOCK))) return { requeued: 0, unroutable }
    const { rows, ...next } = await lockUnqueued<Row>(tx, parts.queue, UNFINISHED, after)
    const begun: string[] = []
    for (const job of rows) {
      const route = routeOfJob(parts.catalog, job.endpoint_key)
      if (route === null) {
        unroutable.push(job)
        continue
      }
      if (job.attempt > 0) begun.push(job.id)
      const fairShare = { accountId: job.account_id, server: route.server, isAwaited: isAwaited(job.options ?? {}) }
      await parts.queue.enqueue(tx, route.kind, [{ id: job.id, fairShare, holdsPlace: job.attempt > 0 }])
    }
    if (begun.length > 0) await noteLostPlaces(tx, begun)
    return { requeued: rows.length - unroutable.length, unroutable, ...next }
  })
}

/**
 * Fails waiting voice jobs whose endpoint was deleted; their pool may have no worker.
 * @returns their number
 */
export async function failOrphanedJobs(parts: EndingParts): Promise<number> {
  // After a crash here, `requeueLostJobs` finds the job.
  const orphaned = await parts.queue.withdrawOrphaned()
  for (const job of orphaned) await endJob(parts, { ...job, failure: endpointDeleted() })
  return orphaned.length
}

export const endpointDeleted = (): JobFailure =>
  new JobFailure('RENDER_FAILED', 'the endpoint was deleted before a worker took the job')
