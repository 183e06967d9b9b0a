import { at } from '../api/base.ts'
import { isOperator } from '../api/session.ts'
import { sentenceOf } from '../api/words.ts'
import { count, words } from '../parts/format.ts'
import { StateMark } from '../parts/state-mark.tsx'
import { lacksInputs } from './may-retry.ts'

interface Standing {
  readonly status: string
  readonly errorCode?: string | null
  readonly queuePosition?: number | null
  readonly chunksDone?: number | null
  readonly chunksTotal?: number | null
}

/** A job's state, with how far it is or why it failed. */
export function JobState({ job }: { job: Standing }) {
  if (job.errorCode === 'JOB_CANCELLED') return <StateMark state="CANCELLED" />
  if (job.status === 'FAILED')
    return <StateMark state="FAILED" label={job.errorCode ? words(job.errorCode) : 'failed'} />
  const { status, queuePosition, chunksDone, chunksTotal } = job
  if (status === 'QUEUED' && queuePosition)
    return <StateMark state="QUEUED" label={`queued, position ${count(queuePosition)}`} />
  if (status !== 'PROCESSING' || !chunksTotal || chunksTotal < 2) return <StateMark state={status} />
  return (
    <span class="row">
      <StateMark state="PROCESSING" label={`${chunksDone ?? 0} of ${chunksTotal}`} />
      <progress class="bar" value={chunksDone ?? 0} max={chunksTotal} aria-label="Parts spoken" />
    </span>
  )
}

type FailedJob = Parameters<typeof lacksInputs>[0] & {
  readonly id: string
  /** As callers read it. */
  readonly error?: string | null
}

/** Why a job failed; operators find the true cause behind it. */
export const JobError = ({ job }: { readonly job: FailedJob }) => {
  const { id, error, errorCode } = job
  return error ? (
    <p class="notice bad">
      {sentenceOf(errorCode ?? '', error)}
      {lacksInputs(job) && ' It cannot be retried, because what it was sent is not kept: send it again.'}{' '}
      <code>{errorCode}</code>
      {isOperator.value && errorCode !== 'JOB_CANCELLED' && <a href={at(`/operator/jobs/${id}`)}>See the cause</a>}
    </p>
  ) : null
}
