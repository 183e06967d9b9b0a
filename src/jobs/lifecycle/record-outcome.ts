import { untilAnswered } from '../../db/until-answered.ts'
import { isDatabaseDown, isDatabaseError } from '../../errors/database-down.ts'
import { describeError } from '../../errors/describe-error.ts'
import { CutOff } from '../../queue/stopping.ts'
import { COMMIT_SPAN } from '../../telemetry/span-names.ts'
import { inStepSpan } from '../../telemetry/spans.ts'
import { secondsSince } from '../../telemetry/telemetry.ts'
import { noteEnd } from '../attempts/note-end.ts'
import { notifyJob } from '../live/notify-job.ts'
import { announceLostEnd } from '../notes/announce-lost-end.ts'
import { noteProduction } from '../notes/note-production.ts'
import { completeJob } from './complete-job.ts'
import { failJob } from './fail-job.ts'
import { endOf, isExpected, isFaultOfDatabase, type Outcome, outcomeOf, RecordFailed } from './outcome.ts'
import type { Attempt } from './produce.ts'
import { recordRelease } from './record-release.ts'

export type Settled = 'settled' | undefined

type OutcomeOf<Kind extends Outcome['kind']> = Extract<Outcome, { kind: Kind }>

/**
 * Records an outcome. If another worker has the claim, it only deletes this attempt's files.
 * @throws to make the queue deliver the job again
 */
export async function recordOutcome(attempt: Attempt, outcome: Outcome): Promise<Settled> {
  switch (outcome.kind) {
    case 'completed':
      return recordCompleted(attempt, outcome)
    case 'failed':
      return recordFailed(attempt, outcome)
    case 'released':
      await noteRelease(attempt, outcome.reason)
      throw outcome.error
    case 'redeliver':
      if (isFaultOfDatabase(outcome.error)) await noteRelease(attempt, outcome.error)
      else await noteRedelivery(attempt, outcome.error)
      throw outcome.error
  }
}

async function recordCompleted(attempt: Attempt, production: OutcomeOf<'completed'>): Promise<Settled> {
  const { parts, claim, signal } = attempt
  const { artifacts, provenance } = production
  const begun = performance.now()
  try {
    const completed = await inStepSpan(
      () => COMMIT_SPAN,
      () => record(() => completeJob(parts, claim, artifacts, provenance, parts.row)),
    )
    parts.telemetry.observe('job_stage_seconds', { stage: 'complete' }, secondsSince(begun))
    if (completed === null) await deleteFiles(attempt)
    else noteProduction(parts, claim, production)
    return completed === 'settled' ? completed : undefined
  } catch (error) {
    return recordOutcome(attempt, outcomeOf(error, signal))
  }
}

/** @throws RecordFailed if the database is away or refuses the result */
const record = <Result>(write: () => Promise<Result>): Promise<Result> =>
  untilAnswered(write).catch((cause: unknown) => {
    const isOurs = isDatabaseDown(cause) || isDatabaseError(cause)
    throw isOurs ? new RecordFailed('the result could not be recorded', { cause }) : cause
  })

async function recordFailed(attempt: Attempt, { failure, error }: OutcomeOf<'failed'>): Promise<undefined> {
  const { parts, claim, work } = attempt
  const unexpected = isExpected(error) ? {} : { exception: describeError(error) }
  const detail = { code: failure.code, cause: failure.message, ...unexpected }
  // An earlier commit of this attempt may have completed the job with these files.
  const write = async () =>
    (await failJob(parts, claim, failure, work?.provenance?.())) || announceLostEnd(parts, claim, failure)
  if (
    !(await inStepSpan(
      () => COMMIT_SPAN,
      () => untilAnswered(write),
    ))
  )
    return
  parts.log.warn({ jobId: claim.jobId, attempt: claim.attempt, ...detail }, 'a job failed')
  await deleteFiles(attempt)
}

/** An unrecorded release counts. Only a worker that is cut off waits for the database. */
async function noteRelease({ parts, claim, signal }: Attempt, reason: Error): Promise<void> {
  const note = () => recordRelease(parts, claim, endOf(reason, signal))
  await (reason instanceof CutOff ? untilAnswered(note) : note()).catch(() => undefined)
}

async function noteRedelivery({ parts, claim, signal }: Attempt, error: unknown): Promise<void> {
  const note = noteEnd(parts, { ...claim, workerId: parts.workerId }, endOf(error, signal))
  if (await note.catch(() => false)) notifyJob(parts, claim)
}

const deleteFiles = ({ parts, storageKeys }: Attempt): Promise<unknown> =>
  Promise.allSettled(storageKeys.map((key) => parts.storage.delete(key)))
