import { at } from '../api/base.ts'
import { isOperator } from '../api/session.ts'
import { sentenceOf } from '../api/words.ts'
import type { JobRowFragment } from '../operations.ts'
import { words } from '../parts/format.ts'
import { StateMark } from '../parts/state-mark.tsx'

/** A job's state, with how far it is or why it failed. */
export function JobState({ job }: { job: JobRowFragment }) {
  if (job.errorCode === 'JOB_CANCELLED') return <StateMark state="CANCELLED" />
  if (job.status === 'FAILED')
    return <StateMark state="FAILED" label={job.errorCode ? words(job.errorCode) : 'failed'} />
  const { chunksDone, chunksTotal } = { chunksDone: null, chunksTotal: null, ...job }
  if (job.status !== 'PROCESSING' || !chunksTotal || chunksTotal < 2) return <StateMark state={job.status} />
  return (
    <span class="row">
      <StateMark state="PROCESSING" label={`${chunksDone ?? 0} of ${chunksTotal}`} />
      <progress class="bar" value={chunksDone ?? 0} max={chunksTotal} aria-label="Chunks rendered" />
    </span>
  )
}

interface FailedJob {
  readonly id: string
  /** As callers read it. */
  readonly error?: string | null
  readonly errorCode?: string | null
}

/** Why a job failed; operators find the true cause behind it. */
export const JobError = ({ job: { id, error, errorCode } }: { readonly job: FailedJob }) =>
  error ? (
    <p class="notice bad">
      {sentenceOf(errorCode ?? '', error)} <code>{errorCode}</code>
      {isOperator.value && errorCode !== 'JOB_CANCELLED' && <a href={at(`/operator/jobs/${id}`)}>The true cause</a>}
    </p>
  ) : null
