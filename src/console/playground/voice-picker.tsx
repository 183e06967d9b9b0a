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

interface VoicePickerProps {
  readonly voices: readonly Voice[]
  readonly chosen: string
  readonly onChoose: (slug: string) => void
  /** The URLs of the samples have expired. */
  readonly onExpired: () => void
}

/** Voices as cards to choose one of, found by name, description or language; each says a sentence at a press. */
export function VoicePicker({ voices, chosen, onChoose, onExpired }: VoicePickerProps) {
  const [search, setSearch] = useState('')
  const { query, change } = useAddress()
  const languages = [...new Set(voices.flatMap((voice) => voice.language ?? []))].sort()
  const language = languages.find((one) => one === query.language) ?? ''
  const found = voices.filter((voice) => isFound(voice, search, language))
  return (
    <fieldset class="voices">
      <legend class="label">Voice</legend>
      <div class="row voice-filters">
        {voices.length >= SEARCH_FROM && (
          <div class="with-icon grow">
            <SearchField
              label="Search voices"
              placeholder={`Search ${voices.length} voices`}
              value={search}
              onText={setSearch}
              isOfOtherForm
            />
          </div>
        )}
        {languages.length > 1 && (
          <LanguageChoice languages={languages} value={language} onChange={(one) => change({ language: one }, true)} />
        )}
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

/** @param language '' for any */
function isFound(voice: Voice, search: string, language: string): boolean {
  const words = `${voice.name} ${voice.slug} ${voice.description}`.toLowerCase()
  return words.includes(search.trim().toLowerCase()) && (language === '' || voice.language === language)
}

interface LanguageChoiceProps {
  readonly languages: readonly string[]
  readonly value: string
  readonly onChange: (language: string) => void
}

const LanguageChoice = ({ languages, value, onChange }: LanguageChoiceProps) => (
  <select
    class="select"
    aria-label="Language of the voices"
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  >
    <option value="">All languages</option>
    {languages.map((one) => (
      <option key={one} value={one}>
        {one}
      </option>
    ))}
  </select>
)

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
