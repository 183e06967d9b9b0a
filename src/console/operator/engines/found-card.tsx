import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextField } from '../../parts/field.tsx'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import type { Found, Proposal } from './use-proposal.ts'

const SEARCH_FROM = 12

interface FoundCardProps {
  readonly proposal: Proposal
  readonly found: Found
  /** It takes the focus as it appears. */
  readonly heading: RefObject<HTMLHeadingElement | null>
}

/** The kind of the server, with its models and voices to choose from. */
export function FoundCard({ proposal, found, heading }: FoundCardProps) {
  const { choice, choose, chooseModel } = proposal
  return (
    <section class="card">
      <div class="card-head">
        <h2 ref={heading} tabIndex={-1}>
          2. {found.kindName} answers
        </h2>
        <StateMark
          state={found.isLoading ? 'LOADING' : 'READY'}
          label={found.isLoading ? 'loads its model' : 'is there'}
        />
      </div>
      <div class="stack card-body">
        {found.isLoading && (
          <p class="notice warn">
            <Icon name="alert" /> The server still loads its model: its first sentence may take some minutes.
          </p>
        )}
        {chooseModel.failure !== null && <Failure failure={chooseModel.failure} />}
        <NameAndModel proposal={proposal} models={found.models} />
        {found.voices.length === 0 ? (
          <TypedVoices onChange={(voices) => choose({ voices })} />
        ) : (
          <Voices found={found} chosen={choice.voices} onChange={(voices) => choose({ voices })} />
        )}
      </div>
    </section>
  )
}

function NameAndModel({ proposal, models }: { proposal: Proposal; models: readonly string[] }) {
  const { choice, choose, chooseModel } = proposal
  return (
    <div class="two-fields">
      <TextField
        label="Name"
        hint="What people choose it by."
        maxLength={200}
        autocomplete="off"
        value={choice.name}
        onText={(name) => choose({ name })}
      />
      <ModelField
        models={models}
        model={choice.model}
        onChoose={(model) => void chooseModel.run(model)}
        onText={(model) => choose({ model })}
      />
    </div>
  )
}

interface ModelFieldProps {
  readonly models: readonly string[]
  readonly model: string
  readonly onChoose: (model: string) => void
  readonly onText: (model: string) => void
}

/** A server that lists no model has to be told one. */
const ModelField = ({ models, model, onChoose, onText }: ModelFieldProps) =>
  models.length === 0 ? (
    <TextField
      label="Model"
      hint="The server names none: the page of its makers does."
      required
      autocomplete="off"
      value={model}
      onText={onText}
    />
  ) : (
    <Field label="Model" hint={models.length === 1 ? 'The only one of this server.' : 'Each has its own sound.'}>
      {(parts) => (
        <select {...parts} class="select" value={model} onChange={(event) => onChoose(event.currentTarget.value)}>
          {models.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      )}
    </Field>
  )

function TypedVoices({ onChange }: { onChange: (voices: readonly string[] | null) => void }) {
  const [text, setText] = useState('')
  const onText = (next: string): void => {
    setText(next)
    const names = [...new Set(next.split(',').map((name) => name.trim()))].filter((name) => name !== '')
    onChange(names.length === 0 ? null : names)
  }
  return (
    <TextField
      label="Voices"
      hint="The server does not list its voices: write their names with commas between, as its makers do."
      placeholder="alloy, nova"
      autocomplete="off"
      value={text}
      onText={onText}
    />
  )
}

interface VoicesProps {
  readonly found: Found
  /** Null: all. */
  readonly chosen: readonly string[] | null
  readonly onChange: (voices: readonly string[] | null) => void
}

function Voices({ found: { voices }, chosen, onChange }: VoicesProps) {
  const [search, setSearch] = useState('')
  const isOn = (name: string): boolean => chosen?.includes(name) ?? true
  const all = voices.map(({ engineVoice }) => engineVoice)
  const taken = all.filter(isOn)
  const change = (names: readonly string[]): void => onChange(names.length === all.length ? null : names)
  const toggle = (name: string): void => change(all.filter((one) => (one === name) !== isOn(one)))
  const shown = voices.filter(({ name, engineVoice, language }) =>
    `${name} ${engineVoice} ${language ?? ''}`.toLowerCase().includes(search.trim().toLowerCase()),
  )
  return (
    <fieldset class="engine-voices">
      <legend class="label">Voices</legend>
      <Taken taken={taken.length} all={all.length} onAll={() => change(all)} onNone={() => change([])} />
      {voices.length >= SEARCH_FROM && (
        <div class="with-icon">
          <SearchField
            label="Search voices"
            placeholder={`Search ${all.length} voices`}
            value={search}
            onText={setSearch}
            isOfOtherForm
          />
        </div>
      )}
      <div class="engine-voice-list">
        {shown.map((voice) => (
          <VoiceCheck
            key={voice.engineVoice}
            voice={voice}
            isOn={isOn(voice.engineVoice)}
            onToggle={() => toggle(voice.engineVoice)}
          />
        ))}
        {shown.length === 0 && <p class="faint">No voice matches.</p>}
      </div>
    </fieldset>
  )
}

interface TakenProps {
  readonly taken: number
  readonly all: number
  readonly onAll: () => void
  readonly onNone: () => void
}

const Taken = ({ taken, all, onAll, onNone }: TakenProps) => (
  <div class="row spread">
    <span class="faint small-text" role="status">
      {count(taken)} of {count(all)} are taken
    </span>
    <span class="row">
      <button type="button" class="button small" onClick={onAll}>
        All
      </button>
      <button type="button" class="button small" onClick={onNone}>
        None
      </button>
    </span>
  </div>
)

interface VoiceCheckProps {
  readonly voice: Found['voices'][number]
  readonly isOn: boolean
  readonly onToggle: () => void
}

const VoiceCheck = ({ voice: { name, language }, isOn, onToggle }: VoiceCheckProps) => (
  <label class="check">
    <input type="checkbox" checked={isOn} onChange={onToggle} />
    <span dir="auto">{name}</span>
    {language !== null && !name.includes(language) && <span class="chip">{language}</span>}
  </label>
)
