import type { JobDetailQuery, JobRowFragment } from '../../operations.ts'
import { duration, exactTime } from '../../parts/format.ts'
import { attemptsNote } from './attempts-note.ts'

type TimedJob = JobRowFragment & Partial<Pick<JobDetailQuery['job'], 'queuePosition' | 'releases'>>

interface Step {
  readonly name: string
  readonly at: string | null
  /** How long it took to get here, or what is waited for. */
  readonly note: string
  readonly tone: 'good' | 'bad' | 'busy' | 'calm'
}

/** Accepted, taken by a worker, ended: when each was, and how long it took. */
export const Timeline = ({ job }: { job: TimedJob }) => (
  <ol class="timeline card-body">
    {stepsOf(job).map(({ name, at, note, tone }) => (
      <li key={name} class={tone}>
        <strong>{name}</strong>
        {at === null ? <span class="faint">{note}</span> : <time dateTime={at}>{exactTime(at)}</time>}
        {at !== null && note !== '' && <span class="faint">{note}</span>}
      </li>
    ))}
  </ol>
)

function stepsOf({
  status,
  createdAt,
  startedAt,
  completedAt,
  waitMs,
  runMs,
  attempts,
  queuePosition,
  releases = 0,
}: TimedJob): Step[] {
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
  const note = attemptsNote({ attempts, releases, status })
  const tried: Step[] =
    note === null
      ? []
      : [{ name: `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`, at: null, note, tone: 'calm' }]
  return [accepted, started, ...tried, ended]
}
