import { setTimeout as wait } from 'node:timers/promises'
import { failAbandonedJobs } from '../companion/fail-abandoned-jobs.ts'
import { findOldSnapshot } from '../db/old-snapshot.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { deleteAbandonedFiles } from '../jobs/lifecycle/delete-abandoned-files.ts'
import { failOrphanedJobs } from '../jobs/lifecycle/fail-orphaned-jobs.ts'
import { rescueJobs } from '../jobs/lifecycle/rescue-jobs.ts'
import { foldJobCounts } from '../jobs/list/fold-job-counts.ts'
import { keepPartitions } from '../jobs/partitions/keep-partitions.ts'
import { deleteHeardParts } from '../jobs/parts/delete-heard-parts.ts'
import { dropOldAudio } from '../jobs/retention/drop-old-audio.ts'
import { dropOldChats } from '../jobs/retention/drop-old-chats.ts'
import { dropOldJobs } from '../jobs/retention/drop-old-jobs.ts'
import { fillJobRollUp } from '../jobs/rollup/fill-job-rollup.ts'
import { foldJobRollUp } from '../jobs/rollup/fold-job-rollup.ts'
import { deleteAbandonedVoices } from '../library/delete-voice.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { forgetSessions } from '../users/end-sessions.ts'
import { foldDeliveryCounts } from '../webhooks/delivery/fold-delivery-counts.ts'
import { tidyWebhooks } from '../webhooks/delivery/tidy-webhooks.ts'
import { rerouteOrphanedJobs } from './reroute-orphaned-jobs.ts'

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
  ({ db }) => foldJobCounts(db.pool),
  ({ db }) => foldDeliveryCounts(db.pool),
  ({ db }) => foldJobRollUp(db),
  ({ db }) => fillJobRollUp(db),
  tidyWebhooks,
  dropOldAudio,
  dropOldJobs,
  dropOldChats,
  (runtime) => keepPartitions(runtime),
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
  const lost = await rescueJobs(runtime)
  if (lost > 0) runtime.log.warn({ jobs: lost }, 'jobs without a queue row were queued again')
}

/** Every claim reads past the queue rows deleted since the oldest snapshot. */
async function warnOfOldSnapshot({ db, log }: Runtime): Promise<void> {
  const snapshot = await findOldSnapshot(db.pool, OLD_SNAPSHOT_SECONDS)
  if (snapshot === null) return
  const { isBackup, ...found } = snapshot
  const what = isBackup
    ? 'a backup has been running for long and slows the queue down until it ends'
    : 'a transaction is open for long and slows the queue down: end it'
  log.warn(found, what)
}
