import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { isOperator, isOwner } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import { dismissFirstSteps, firstSteps } from '../operations.ts'
import { Failure } from '../parts/failure.tsx'
import { Icon } from '../parts/icon.tsx'
import { isFirst, Load, SkeletonRows } from '../parts/load.tsx'
import { focusHeading } from '../parts/page.tsx'
import { deliveriesNow, jobCounts } from '../shell/account-live.ts'
import { FirstDelivery } from './first-delivery.tsx'
import { FirstKey } from './first-key.tsx'
import { HearVoices } from './hear-voices.tsx'
import { NaturalVoice } from './natural-voice.tsx'
import { Step } from './step.tsx'
import { type Progress, progressOf } from './steps.ts'

const CHANGED_MS = 500

interface FirstStepsProps {
  readonly onPutAway: () => void
  /** It comes with the steps, and so does not move when they are there. */
  readonly children: ComponentChildren
}

/** The way from the first sentence to the first program. Each step ticks itself off by what the account has. */
export function FirstSteps({ onPutAway, children }: FirstStepsProps) {
  const query = useQuery(firstSteps, { operates: isOperator.value, owns: isOwner.value })
  useCalmReload(JSON.stringify([jobCounts.value, deliveriesNow.value]), CHANGED_MS, query.reload)
  return (
    <>
      <Load query={query} skeleton={<SkeletonRows rows={4} />}>
        {(data) => <Steps steps={progressOf(data)} onDone={query.reload} onPutAway={onPutAway} />}
      </Load>
      {!isFirst(query) && children}
    </>
  )
}

interface StepsProps {
  readonly steps: Progress
  readonly onDone: () => void
  readonly onPutAway: () => void
}

function Steps({ steps, onDone, onPutAway }: StepsProps) {
  const before = useRef(steps).current
  const known = Object.values(steps).filter((step) => step !== null)
  const shown = (name: keyof Progress) => ({
    isDone: steps[name]?.isDone ?? false,
    isOpen: before[name]?.isDone !== true,
  })
  const { voices, key, delivery, natural } = steps
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <StepsHead done={known.filter(({ isDone }) => isDone).length} of={known.length} onPutAway={onPutAway} />
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
            <NaturalVoice onInstalled={onDone} />
          </Step>
        )}
      </ol>
    </section>
  )
}

interface HeadProps {
  readonly done: number
  readonly of: number
  readonly onPutAway: () => void
}

/** Put away for good: the service remembers it for this user. */
function StepsHead({ done, of, onPutAway }: HeadProps) {
  const away = useAction(async () => {
    await ask(dismissFirstSteps, {})
    focusHeading()
    onPutAway()
  })
  return (
    <div class="card-head">
      <div>
        <h2 id="first-steps">Welcome to Sonant</h2>
        <p role="status">
          {done} of {of} first steps done
        </p>
      </div>
      <button type="button" class="button quiet small" aria-disabled={away.isOff} onClick={() => void away.run()}>
        <Icon name="close" size={14} /> Put these steps away
      </button>
      {away.failure !== null && <Failure failure={away.failure} />}
    </div>
  )
}
