import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/words.ts'
import { duration, exactTime } from '../../parts/format.ts'
import { ShortId } from '../../parts/short-id.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import './attempts.css'
import type { Attempt } from './told-attempts.ts'

/** How many are shown at first, the newest. */
const SHOWN = 5

/** Each outcome with its word and the state that gives its colour. */
const MARKS = {
  COMPLETED: ['COMPLETED', 'completed'],
  FAILED: ['FAILED', 'failed'],
  RELEASED: ['QUEUED', 'released'],
  LOST: ['FAILED', 'lost'],
  RUNNING: ['PROCESSING', 'running'],
} as const

/** The attempts at a job: when each began, how long it took and why it ended; for operators on which worker, and the true cause. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? attempts : attempts.slice(-SHOWN)
  return (
    <>
      {shown.length < attempts.length && (
        <button type="button" class="button" onClick={() => setIsWhole(true)}>
          Show all {attempts.length}
        </button>
      )}
      <ol class="tries" aria-label="Attempts">
        {shown.map((attempt) => (
          <OneAttempt key={attempt.number} attempt={attempt} />
        ))}
      </ol>
    </>
  )
}

function OneAttempt({ attempt }: { readonly attempt: Attempt }) {
  const { number, startedAt, outcome, error, worker, cause } = attempt
  const [state, label] = MARKS[outcome ?? 'RUNNING']
  return (
    <li>
      <div class="row">
        <strong>Attempt {number}</strong>
        <StateMark state={state} label={label} />
      </div>
      <span class="faint">
        {startedAt === null ? (
          'It is not known when it began.'
        ) : (
          <time dateTime={startedAt}>{exactTime(startedAt)}</time>
        )}
        {lasted(attempt)}
      </span>
      {error !== null && <p>{sentenceOf('', error)}</p>}
      {worker && (
        <p class="row">
          Worker <ShortId id={worker} />
        </p>
      )}
      {cause && <pre>{cause}</pre>}
    </li>
  )
}

const lasted = ({ startedAt, endedAt }: Attempt): string =>
  startedAt === null || endedAt === null ? '' : `, for ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`
