import type { JobDetailQuery, JobRowFragment } from '../../operations.ts'
import { duration, exactTime } from '../../parts/format.ts'
import { Attempts } from './attempts.tsx'
import { attemptsNote } from './attempts-note.ts'
import { type Attempt, toldAttempts, waitsAgain } from './told-attempts.ts'

type Detail = Pick<JobDetailQuery['job'], 'queuePosition' | 'releases'>
type TimedJob = JobRowFragment & Partial<Detail> & { readonly attemptHistory: readonly Attempt[] }

interface Step {
  readonly name: string
  readonly at: string | null
  /** How long it took to get here, or what is waited for. */
  readonly note: string
  readonly tone: 'good' | 'bad' | 'busy' | 'calm'
  /** The attempts within the stage. */
  readonly attempts?: readonly Attempt[]
}

/** Accepted, taken by a worker, ended: when each was, and how long it took; with the attempts that it took in between. */
export const Timeline = ({ job }: { job: TimedJob }) => (
  <ol class="timeline card-body">
    {stepsOf(job).map(({ name, at, note, tone, attempts = [] }) => (
      <li key={name} class={tone}>
        <strong>{name}</strong>
        {at === null ? <span class="faint">{note}</span> : <time dateTime={at}>{exactTime(at)}</time>}
        {at !== null && note !== '' && <span class="faint">{note}</span>}
        {attempts.length > 0 && <Attempts attempts={attempts} />}
      </li>
    ))}
  </ol>
)

function stepsOf(job: TimedJob): Step[] {
  const { status, createdAt, startedAt, completedAt, waitMs, runMs, queuePosition } = job
  const isOver = status === 'COMPLETED' || status === 'FAILED'
  const accepted: Step = { name: 'Accepted', at: createdAt, note: '', tone: 'good' }
  const place = queuePosition ? `waiting, position ${queuePosition} in the queue` : 'waiting for a worker'
  const started: Step = {
    name: 'Taken by a worker',
    at: startedAt ?? null,
    note: startedAt ? `after ${duration(waitMs)}` : isOver ? 'never' : place,
    tone: startedAt ? 'good' : isOver ? 'calm' : 'busy',
  }
  const ended: Step = {
    name: status === 'FAILED' ? 'Failed' : 'Completed',
    at: completedAt ?? null,
    note: completedAt ? (runMs === null ? '' : `after ${duration(runMs)} of work`) : 'not yet',
    tone: status === 'FAILED' ? 'bad' : completedAt ? 'good' : startedAt ? 'busy' : 'calm',
  }
  return [accepted, started, ...triesOf(job), ended]
}

function triesOf(job: TimedJob): Step[] {
  const { attempts: taken, status, releases = 0 } = job
  const attempts = toldAttempts(job)
  const counted = attemptsNote({ attempts: taken, releases, status })
  if (counted === null && attempts.length === 0) return []
  const note = counted ?? (waitsAgain(job) ? 'it waits for the next worker' : '')
  return [{ name: `${taken} ${taken === 1 ? 'attempt' : 'attempts'}`, at: null, note, tone: 'calm', attempts }]
}
