import { useState } from 'preact/hooks'
import type { VoicesQuery } from '../operations.ts'
import { Icon } from '../parts/icon.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { hueOf } from './take-card.tsx'

type Endpoint = VoicesQuery['myEndpoints'][number]
type Voice = Endpoint['voices'][number]

const SEARCH_FROM = 5

interface VoicePickerProps {
  readonly voices: readonly Voice[]
  readonly chosen: string
  readonly onChoose: (slug: string) => void
}

/** Voices as cards to choose one of, found by name or description. */
export function VoicePicker({ voices, chosen, onChoose }: VoicePickerProps) {
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const found = voices.filter(({ name, slug, description }) =>
    `${name} ${slug} ${description}`.toLowerCase().includes(wanted),
  )
  return (
    <fieldset class="voices">
      <legend class="label">Voice</legend>
      {voices.length >= SEARCH_FROM && (
        <div class="with-icon">
          <SearchField
            label="Search voices"
            placeholder={`Search ${voices.length} voices`}
            value={search}
            onText={setSearch}
          />
        </div>
      )}
      <div class="voice-list">
        {found.map((voice) => (
          <VoiceCard
            key={voice.slug}
            voice={voice}
            isChosen={voice.slug === chosen}
            onChoose={() => onChoose(voice.slug)}
          />
        ))}
        {found.length === 0 && <p class="faint">No voice is called that.</p>}
      </div>
    </fieldset>
  )
}

const VoiceCard = ({ voice, isChosen, onChoose }: { voice: Voice; isChosen: boolean; onChoose: () => void }) => (
  <label class={isChosen ? 'voice on' : 'voice'}>
    <input type="radio" class="unseen" name="voice" checked={isChosen} onChange={onChoose} />
    <span class="voice-face" aria-hidden="true" data-hue={hueOf(voice.slug)}>
      {voice.name.slice(0, 1)}
    </span>
    <span class="voice-words">
      <span class="voice-name">
        <strong dir="auto">{voice.name}</strong>
        {voice.kind === 'REFERENCE' && <span class="chip">cloned</span>}
      </span>
      <span class="voice-about" dir="auto">
        {voice.description}
      </span>
    </span>
    {isChosen && <Icon name="check" />}
  </label>
)
