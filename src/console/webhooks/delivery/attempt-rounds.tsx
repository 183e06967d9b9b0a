import type { DeliveryRowFragment } from '../../operations.ts'
import { duration } from '../../parts/format.ts'
import { Moment } from '../../parts/moment.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { outcomeWords } from '../outcome-words.ts'

type Attempt = DeliveryRowFragment['attempts'][number]

/** A delivery's attempts by round, the last one first. */
export function AttemptRounds({ attempts }: { attempts: readonly Attempt[] }) {
  const rounds = Map.groupBy(attempts.toReversed(), ({ round }) => round)
  return (
    <>
      <h2 class="section-title">Attempts</h2>
      {attempts.length === 0 && <p class="muted">None yet.</p>}
      {[...rounds].map(([round, some]) => (
        <section key={round} class="stack" aria-labelledby={`round-${round}`}>
          <h3 id={`round-${round}`}>
            Round {round}
            {round > 1 && <span class="faint">, sent again by hand</span>}
          </h3>
          <ol class="attempts">
            {some.map((attempt) => (
              <AttemptCard key={attempt.number} attempt={attempt} />
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

const AttemptCard = ({ attempt }: { attempt: Attempt }) => (
  <li class="card card-body stack">
    <div class="row spread">
      <div class="row">
        <StateMark
          state={attempt.outcome === 'succeeded' ? 'SUCCEEDED' : attempt.outcome ? 'FAILED' : 'PENDING'}
          label={
            attempt.responseStatus ? String(attempt.responseStatus) : attempt.outcome ? 'no answer' : 'in progress'
          }
        />
        <span>{outcomeWords(attempt.outcome ?? null)}</span>
      </div>
      <span class="faint small-text">
        Attempt {attempt.number} · <Moment at={attempt.startedAt} /> · {duration(attempt.durationMs)}
      </span>
    </div>
    {attempt.response && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      <pre class="response" dir="auto" tabIndex={0}>
        {attempt.response}
      </pre>
    )}
  </li>
)
