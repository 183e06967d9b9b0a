import { useState } from 'preact/hooks'
import type { VoicesQuery } from '../operations.ts'
import { initial } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useAddress } from '../parts/use-address.ts'
import { PreviewButton } from '../voices/preview-button.tsx'
import { hueOf } from './take-card.tsx'

type Endpoint = VoicesQuery['myEndpoints'][number]
type Voice = Endpoint['voices'][number]

const SEARCH_FROM = 5
/** The kinds with their names in addresses and for readers. */
const KINDS: readonly (readonly [name: string, kind: Voice['kind'], text: string])[] = [
  ['preset', 'PRESET', 'Preset'],
  ['cloned', 'REFERENCE', 'Cloned'],
]

interface VoicePickerProps {
  readonly voices: readonly Voice[]
  readonly chosen: string
  readonly onChoose: (slug: string) => void
  /** The URLs of the samples have expired. */
  readonly onExpired: () => void
}

/** Voices as cards to choose one of, found by name, description, language or kind; each says a sentence at a press. */
export function VoicePicker({ voices, chosen, onChoose, onExpired }: VoicePickerProps) {
  const [search, setSearch] = useState('')
  const { query } = useAddress()
  const languages = [...new Set(voices.flatMap((voice) => voice.language ?? []))].sort()
  const language = languages.find((one) => one === query.language) ?? ''
  const kinds = KINDS.filter(([, kind]) => voices.some((voice) => voice.kind === kind))
  const [, kind] = kinds.find(([name]) => name === query.kind) ?? []
  const found = voices.filter(
    (voice) =>
      isFound(voice, search) && (language === '' || voice.language === language) && (kind ?? voice.kind) === voice.kind,
  )
  return (
    <fieldset class="voices">
      <legend class="label">Voice</legend>
      <div class="row voice-filters">
        {voices.length >= SEARCH_FROM && <VoiceSearch of={voices.length} text={search} onText={setSearch} />}
        <VoiceFilter
          name="language"
          label="Language of the voices"
          all="All languages"
          options={languages.map(twice)}
        />
        <VoiceFilter name="kind" label="Kind of the voices" all="All kinds" options={kinds.map(named)} />
      </div>
      <div class="voice-list">
        {found.map((voice) => {
          const [isChosen, choose] = [voice.slug === chosen, () => onChoose(voice.slug)]
          const about = { voice, isChosen, onExpired, withLanguage: languages.length > 1 }
          return <VoiceCard key={voice.slug} {...about} onChoose={choose} />
        })}
        {found.length === 0 && <p class="faint">No voice matches.</p>}
      </div>
    </fieldset>
  )
}

const isFound = ({ name, slug, description }: Voice, search: string): boolean =>
  plain(`${name} ${slug} ${description}`).includes(plain(search.trim()))

const plain = (text: string): string => text.normalize('NFC').toLowerCase()

type Option = readonly [value: string, text: string]
const twice = (one: string): Option => [one, one]
const named = ([name, , text]: (typeof KINDS)[number]): Option => [name, text]

interface VoiceSearchProps {
  /** How many voices there are. */
  readonly of: number
  readonly text: string
  readonly onText: (text: string) => void
}

const VoiceSearch = ({ of, text, onText }: VoiceSearchProps) => (
  <div class="with-icon grow">
    <SearchField label="Search voices" placeholder={`Search ${of} voices`} value={text} onText={onText} isOfOtherForm />
  </div>
)

interface VoiceFilterProps {
  /** The name of the address's parameter. */
  readonly name: string
  readonly label: string
  readonly all: string
  readonly options: readonly Option[]
}

/** A choice of a few; none where the voices differ in nothing. */
function VoiceFilter({ name, label, all, options }: VoiceFilterProps) {
  const { query, change } = useAddress()
  if (options.length < 2) return null
  const value = options.find(([one]) => one === query[name])?.[0] ?? ''
  return (
    <select
      class="select"
      aria-label={label}
      value={value}
      onChange={(event) => change({ [name]: event.currentTarget.value }, true)}
    >
      <option value="">{all}</option>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}

interface VoiceCardProps {
  readonly voice: Voice
  readonly withLanguage: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly onExpired: () => void
}

const VoiceCard = ({ voice, withLanguage, isChosen, onChoose, onExpired }: VoiceCardProps) => (
  <div class={isChosen ? 'voice on' : 'voice'}>
    <label class="voice-choice">
      <input type="radio" class="unseen" name="voice" checked={isChosen} onChange={onChoose} />
      <span class="voice-face" aria-hidden="true" data-hue={hueOf(voice.slug)}>
        {initial(voice.name)}
      </span>
      <span class="voice-words">
        <span class="voice-name">
          <strong dir="auto">{voice.name}</strong>
          {voice.kind === 'REFERENCE' && <span class="chip">cloned</span>}
          {withLanguage && voice.language !== null && <span class="chip">{voice.language}</span>}
        </span>
        <span class="voice-about" dir="auto">
          {voice.description}
        </span>
      </span>
      {isChosen && <Icon name="check" />}
    </label>
    {voice.sampleUrl !== null && (
      <PreviewButton src={voice.sampleUrl as string} label={`a sample of ${voice.name}`} onError={onExpired} />
    )}
  </div>
)
