import { setTimeout as wait } from 'node:timers/promises'
import { endpointRoute } from '../catalog/job-kinds.ts'
import { endpointKey } from '../catalog/voice-endpoint.ts'
import { failAbandonedJobs } from '../companion/companion-job.ts'
import type { Parts } from '../context/context.ts'
import { findOldSnapshot } from '../db/snapshot.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { archiveJobs } from '../jobs/archive/archive-jobs.ts'
import { settleKnownChanges } from '../jobs/export/settled-changes.ts'
import { deleteAbandonedFiles } from '../jobs/lifecycle/produce.ts'
import { failOrphanedJobs, requeueLostJobs } from '../jobs/lifecycle/requeue-lost-jobs.ts'
import { foldJobCounts } from '../jobs/list/jobs.ts'
import { deleteHeardParts } from '../jobs/live-parts.ts'
import { keepPartitions } from '../jobs/partitions/keep-partitions.ts'
import { dropOldAudio, dropOldChats, dropOldJobs, forgetDeletions } from '../jobs/retention/drop-old-jobs.ts'
import { fillJobRollUp, foldJobRollUp } from '../jobs/rollup/fold-job-rollup.ts'
import { deleteAbandonedVoices } from '../library/change-voices.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { forgetSessions } from '../users/sessions.ts'
import { foldDeliveryCounts, tidyWebhooks } from '../webhooks/delivery/tidy-webhooks.ts'
import { tidyEngines } from './engines/tidy-engines.ts'

const EVERY_MS = 60_000
const LONGEST_WAIT_MS = 1000
const OLD_SNAPSHOT_SECONDS = 600

/** Any number of workers may run a duty at once. */
const DUTIES: readonly ((runtime: Runtime) => Promise<unknown>)[] = [
  rescueLostJobs,
  rerouteOrphanedJobs,
  failOrphanedJobs,
  failAbandonedJobs,
  deleteAbandonedFiles,
  deleteHeardParts,
  deleteAbandonedVoices,
  forgetExpired,
  forgetSessions,
  ({ db }) => settleKnownChanges(db),
  ({ db }) => foldJobCounts(db.pool),
  ({ db }) => foldDeliveryCounts(db.pool),
  ({ db }) => foldJobRollUp(db),
  ({ db }) => fillJobRollUp(db),
  tidyWebhooks,
  dropOldAudio,
  dropOldJobs,
  archiveJobs,
  dropOldChats,
  forgetDeletions,
  (runtime) => keepPartitions(runtime),
  tidyEngines,
  warnOfOldSnapshot,
]

/** Runs the duties now and every minute. The returned function stops them and waits for those in progress. */
export function maintain(runtime: Runtime): () => Promise<void> {
  const ending = new AbortController()
  let underway = Promise.resolve()
  const begin = (): void => {
    underway = Promise.all([underway, maintainOnce(runtime, ending.signal)]).then(() => undefined)
  }
  begin()
  const timer = setInterval(begin, EVERY_MS)
  return () => {
    ending.abort()
    clearInterval(timer)
    return underway
  }
}

/** Duties run one after the other, because each takes a connection that callers need. */
async function maintainOnce(runtime: Runtime, ending: AbortSignal): Promise<void> {
  const failed = (error: Error): void => {
    if (!ending.aborted) runtime.log.warn({ err: error.message }, 'maintenance failed; trying again in a minute')
  }
  const underway: Promise<unknown>[] = []
  for (const duty of DUTIES) {
    if (ending.aborted) break
    const done = duty(runtime).catch(failed)
    underway.push(done)
    await endedOrLate(done, ending)
  }
  await Promise.all(underway)
}

async function endedOrLate(done: Promise<unknown>, ending: AbortSignal): Promise<void> {
  const over = new AbortController()
  const end = () => over.abort()
  ending.addEventListener('abort', end)
  await Promise.race([done, wait(LONGEST_WAIT_MS, undefined, { signal: over.signal }).catch(() => undefined)])
  ending.removeEventListener('abort', end)
  end()
}

async function rescueLostJobs(runtime: Runtime): Promise<void> {
  const lost = await requeueLostJobs(runtime)
  if (lost > 0) runtime.log.warn({ jobs: lost }, 'jobs without a queue row were queued again')
}

/** PostgreSQL keeps the rows deleted since the oldest snapshot. */
async function warnOfOldSnapshot({ db, log }: Runtime): Promise<void> {
  const snapshot = await findOldSnapshot(db.pool, OLD_SNAPSHOT_SECONDS)
  if (snapshot === null) return
  const { isBackup, ...found } = snapshot
  const what = isBackup
    ? 'a backup has been running for long and keeps dead rows until it ends'
    : 'a transaction is open for long and keeps dead rows: end it'
  log.warn(found, what)
}

/** Moves jobs from pools that no endpoint names to their endpoint's pool. Returns their number. */
export async function rerouteOrphanedJobs({
  catalog,
  queue,
  telemetry,
}: Pick<Parts, 'catalog' | 'queue'> & MeasuredParts): Promise<number> {
  await catalog.reload()
  const endpoints = [...catalog.current.endpoints.values()]
  const moved = await queue.rerouteOrphaned(
    endpoints.map((endpoint) => ({ endpointKey: endpointKey(endpoint.slug), route: endpointRoute(endpoint) })),
  )
  if (moved > 0) telemetry.count('jobs_requeued_total', { reason: 'moved' }, moved)
  return moved
}
