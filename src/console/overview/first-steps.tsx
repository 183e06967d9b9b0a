import { useRef } from 'preact/hooks'
import { isOperator, isOwner } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import { firstSteps } from '../operations.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { deliveriesNow, jobCounts } from '../shell/account-live.ts'
import { FirstDelivery } from './first-delivery.tsx'
import { FirstKey } from './first-key.tsx'
import { HearVoices } from './hear-voices.tsx'
import { NaturalVoice } from './natural-voice.tsx'
import { putAway } from './put-away.ts'
import { Step } from './step.tsx'
import { type Progress, progressOf } from './steps.ts'

const CHANGED_MS = 500

/** The way from the first sentence to the first program. Each step ticks itself off by what the account has. */
export function FirstSteps() {
  const query = useQuery(firstSteps, { operates: isOperator.value, owns: isOwner.value })
  useCalmReload(JSON.stringify([jobCounts.value, deliveriesNow.value]), CHANGED_MS, query.reload)
  return (
    <Load query={query} skeleton={<SkeletonRows rows={4} />}>
      {(data) => <Steps steps={progressOf(data)} onDone={query.reload} />}
    </Load>
  )
}

function Steps({ steps, onDone }: { steps: Progress; onDone: () => void }) {
  const before = useRef(steps).current
  const known = Object.values(steps).filter((step) => step !== null)
  const shown = (name: keyof Progress) => ({
    isDone: steps[name]?.isDone ?? false,
    isOpen: before[name]?.isDone !== true,
  })
  const { voices, key, delivery, natural } = steps
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <StepsHead done={known.filter(({ isDone }) => isDone).length} of={known.length} />
      <ol class="steps">
        <Step title="Hear two voices" {...shown('voices')}>
          <HearVoices speaker={voices.speaker} />
        </Step>
        {key && (
          <Step title="Make a key for a program" {...shown('key')}>
            <FirstKey speaker={voices.speaker} onMade={onDone} />
          </Step>
        )}
        {delivery && (
          <Step title="Receive a webhook" {...shown('delivery')}>
            <FirstDelivery />
          </Step>
        )}
        {natural && (
          <Step title="Get a natural voice" {...shown('natural')}>
            <NaturalVoice />
          </Step>
        )}
      </ol>
    </section>
  )
}

const StepsHead = ({ done, of }: { readonly done: number; readonly of: number }) => (
  <div class="card-head">
    <div>
      <h2 id="first-steps">Welcome to Sonant</h2>
      <p role="status">
        {done} of {of} first steps done
      </p>
    </div>
    <button type="button" class="button quiet small" onClick={putAway}>
      <Icon name="close" size={14} /> Put these steps away
    </button>
  </div>
)
