import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../../api/api-error.ts'
import { at } from '../../api/base.ts'
import { Reason } from '../../parts/failure.tsx'
import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Crumb } from '../../parts/page.tsx'
import { OperatorScreen } from '../operator-screen.tsx'
import { ApplyCard } from './apply-card.tsx'
import { FoundCard } from './found-card.tsx'
import { HearPanel, type HearPanelProps } from './hear-panel.tsx'
import { type Proposal, useProposal } from './use-proposal.ts'

/** From the address of a speech server to an endpoint that speaks: asked, chosen, heard and applied. */
export function AddEnginePage() {
  const proposal = useProposal()
  const { found } = proposal
  return (
    <OperatorScreen title="Add an engine" tab="engines" crumb={<Crumb href={at('/operator/engines')}>Engines</Crumb>}>
      <div class="steps-of-engine">
        <AddressCard proposal={proposal} />
        {found !== null && <Chosen key={found.server} proposal={proposal} />}
      </div>
    </OperatorScreen>
  )
}

function AddressCard({ proposal }: { proposal: Proposal }) {
  const { address, look, found } = proposal
  const { failure } = look
  const isAtField = failure !== null && failure.details.length > 0
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (address.trim() !== '') void look.run()
  }
  return (
    <section class="card">
      <div class="card-head">
        <h2>1. Where is the server?</h2>
        <p>Any server that speaks like OpenAI's: Kokoro, vLLM, LocalAI, Chatterbox, OpenAI itself and others</p>
      </div>
      <form class="stack card-body" onSubmit={onSubmit}>
        {failure !== null && !isAtField && <Refused failure={failure} />}
        <AddressFields proposal={proposal} />
        <div class="row">
          <button type="submit" class={found === null ? 'button primary' : 'button'} aria-disabled={look.isOff}>
            {look.isRunning ? 'Asking the server…' : found === null ? 'Ask the server' : 'Ask it again'}
          </button>
          <span class="unseen" role="status">
            {isAtField && failure.message}
          </span>
        </div>
      </form>
    </section>
  )
}

const Refused = ({ failure }: { failure: ApiError }) => (
  <p class="notice bad" role="alert">
    <Icon name="alert" />
    <span class="notice-body">
      <Reason failure={failure} />
    </span>
  </p>
)

/** The key never leaves the page but to the service, which stores it encrypted. */
function AddressFields({ proposal: { address, apiKey, look, enter } }: { proposal: Proposal }) {
  const wrong = look.failure?.details[0]?.path
  const errorAt = (path: string) => (wrong === path ? { error: look.failure?.message } : {})
  return (
    <div class="two-fields">
      <TextField
        label="Address"
        hint="As you would type it into a browser on the machine of this service."
        placeholder="gpu-1:8880"
        inputMode="url"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        required
        value={address}
        onText={(text) => enter({ address: text })}
        {...errorAt('address')}
      />
      <TextField
        label="Key"
        hint="Only if the server wants one. It is stored encrypted, for this server alone."
        type="password"
        autocomplete="off"
        value={apiKey}
        onText={(text) => enter({ apiKey: text })}
        {...errorAt('apiKey')}
      />
    </div>
  )
}

/** Shows the server that was found, and leads through the voices to the endpoint. */
function Chosen({ proposal }: { proposal: Proposal }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [isHeard, setHeard] = useState(false)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const { found, choice, write } = proposal
  if (found === null) return null
  const offered = found.voices.filter(({ engineVoice }) => choice.voices?.includes(engineVoice) ?? true)
  const typed = found.voices.length === 0 ? (choice.voices ?? []).map((name) => ({ slug: name, name })) : offered
  const onSource = async (voice: { readonly slug: string }) => {
    const { source, voices } = await write()
    const slug = voices.find((one) => one.slug === voice.slug || one.engineVoice === voice.slug)?.slug ?? null
    return { source, voice: slug }
  }
  const isReady = choice.model.trim() !== '' && typed.length > 0
  return (
    <>
      <FoundCard proposal={proposal} found={found} heading={heading} />
      {isReady && (
        <>
          <HearCard voices={typed} onSource={onSource} onHeard={() => setHeard(true)} />
          <ApplyCard proposal={proposal} isHeard={isHeard} />
        </>
      )}
    </>
  )
}

const HearCard = (props: HearPanelProps) => (
  <section class="card">
    <div class="card-head">
      <h2>3. Hear it</h2>
      <p>A sentence, spoken by the server now</p>
    </div>
    <div class="card-body">
      <HearPanel {...props} />
    </div>
  </section>
)
