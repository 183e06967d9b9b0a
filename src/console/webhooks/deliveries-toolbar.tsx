import type { ComponentChildren } from 'preact'
import { Choice } from '../jobs/jobs-toolbar.tsx'
import { EndpointField } from '../lists/endpoint-field.tsx'
import { LinkedEnds } from '../lists/linked-ends.tsx'
import { PauseButton } from '../lists/pause-button.tsx'
import { RemovableChips } from '../lists/removable-chips.tsx'
import { Segments } from '../parts/field.tsx'
import { sentence, shortId } from '../parts/format.ts'
import { useAddress } from '../parts/use-address.ts'
import { OwnWindow } from '../windows/own-window.tsx'
import { WINDOW_OPTIONS } from '../windows/time-window.ts'
import { STATES } from './deliveries-filter.ts'
import { OUTCOMES, outcomeWords } from './outcome-words.ts'

const TO_START = { after: null, before: null }
const ENDS = { from: null, to: null }
/** With which receivers reject most often; links name others as well. */
const STATUSES = [301, 302, 307, 308, 400, 401, 403, 404, 405, 408, 410, 413, 415, 422, 429, 500, 502, 503, 504]

export function StateChoice() {
  const { query, change } = useAddress()
  return (
    <div class="toolbar">
      <Segments
        label="State"
        value={query.state ?? ''}
        onChange={(state) => change({ state, ...TO_START })}
        options={[['', 'All'], ...STATES.map((one) => [one.toLowerCase(), sentence(one)] as const)]}
      />
    </div>
  )
}

/** The filters besides the state. */
export const DeliveriesToolbar = ({ children }: { children: ComponentChildren }) => (
  <div class="toolbar filters">
    <OutcomeChoice />
    <Choice name="window" label="Any time" options={WINDOW_OPTIONS} clears={ENDS} />
    <OwnWindow />
    <EndpointField />
    <LinkedChips />
    {children}
    <span class="grow" />
    <PauseButton />
  </div>
)

/** How the last attempt went; what a link asks for besides is one more entry. */
function OutcomeChoice() {
  const { outcome = '' } = useAddress().query
  const statuses = STATUSES.map((status) => `status_${status}`)
  const isOffered = outcome === '' || OUTCOMES.includes(outcome) || statuses.includes(outcome)
  const named = (outcomes: readonly string[]) => outcomes.map((one) => [one, outcomeWords(one)] as const)
  return (
    <Choice
      name="outcome"
      label="Any outcome"
      options={isOffered ? [] : [[outcome, outcome.split(',').map(outcomeWords).join(', ')]]}
      groups={[
        ['Without a status', named(OUTCOMES)],
        ['Rejected by the receiver', statuses.map((one) => [one, one.replace('status_', 'Status ')] as const)],
      ]}
    />
  )
}

/** Filters that only links set. */
function LinkedChips() {
  const { job } = useAddress().query
  return (
    <>
      <RemovableChips filters={[['job', job && shortId(job)]]} />
      <LinkedEnds />
    </>
  )
}
