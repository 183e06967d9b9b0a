import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../../api/base.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { isolated } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { isConverting } from '../../parts/is-converting.ts'
import { closePalette, foundOffers, movedChoice, type Offer } from './palette.ts'
import { useFoundJobs } from './use-found-jobs.ts'
import { type Go, offerOf, useOffers } from './use-offers.ts'

const LIST = 'palette-list'

/** Finds a screen, a voice, a job, a key, a person or something to do by words; the arrows choose, Enter goes there. */
export function PaletteDialog() {
  const { route } = useLocation()
  const [text, setText] = useState('')
  const go: Go = (path) => route(at(path))
  const own = offerOf(text, go)
  const jobs = useFoundJobs(text, go)
  const offers = [...foundOffers(useOffers(), text), ...jobs.offers, ...(own === null ? [] : [own])]
  const { chosen, setChosenId } = useChoice(offers)
  const choose = (offer: Offer | undefined): void => {
    if (offer === undefined) return
    closePalette()
    // The dialog gives the focus back before another one takes it.
    setTimeout(offer.choose)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // The Enter that ends a Japanese or Chinese conversion chooses nothing here.
    if (isConverting(event)) return
    const moved = movedChoice(event.key, chosen, offers.length)
    if (event.key === 'Enter') choose(offers[chosen])
    else if (moved !== null) setChosenId(offers[moved]?.id ?? null)
    else return
    event.preventDefault()
  }
  const onText = (value: string): void => {
    setText(value)
    setChosenId(null)
  }
  return (
    <Dialog title="Go to, or do" onClose={closePalette}>
      <PaletteField text={text} chosen={offers[chosen]} onText={onText} onKeyDown={onKeyDown} />
      <Options offers={offers} chosen={offers[chosen]} onChoose={choose} />
      <p class="hint palette-found" role="status">
        {jobs.isAwaited ? 'Looking for jobs…' : foundWords(offers.length)}
        {jobs.hasFailed && ' Jobs could not be looked for: type on to try again.'}
      </p>
    </Dialog>
  )
}

/** Jobs that are found later must not slip under an Enter that was meant for the chosen offer. */
function useChoice(offers: readonly Offer[]) {
  const [chosenId, setChosenId] = useState<string | null>(null)
  const at = offers.findIndex(({ id }) => id === chosenId)
  const chosen = Math.max(0, at)
  const shownId = offers[chosen]?.id ?? null
  useEffect(() => setChosenId(shownId), [shownId])
  return { chosen, setChosenId }
}

const foundWords = (found: number): string => (found === 0 ? 'Nothing found.' : `${found} found`)

interface OptionsProps {
  readonly offers: readonly Offer[]
  readonly chosen: Offer | undefined
  readonly onChoose: (offer: Offer) => void
}

function Options({ offers, chosen, onChoose }: OptionsProps) {
  const id = chosen && idOf(chosen)
  useEffect(() => {
    if (id !== undefined) document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
  }, [id])
  return (
    <div id={LIST} class="palette-list" role="listbox" aria-label="Found">
      {offers.map((offer) => (
        <PaletteOption key={offer.id} offer={offer} isChosen={offer === chosen} onChoose={() => onChoose(offer)} />
      ))}
    </div>
  )
}

interface PaletteFieldProps {
  readonly text: string
  readonly chosen: Offer | undefined
  readonly onText: (text: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

const PaletteField = ({ text, chosen, onText, onKeyDown }: PaletteFieldProps) => (
  <span class="with-icon">
    <Icon name="search" size={14} />
    <input
      class="input"
      type="text"
      role="combobox"
      dir="auto"
      autocomplete="off"
      placeholder="A page, a job, a voice, an id, something to do or to say…"
      aria-label="Go to, or do"
      aria-autocomplete="list"
      aria-expanded={chosen !== undefined}
      aria-controls={LIST}
      aria-activedescendant={chosen && idOf(chosen)}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  </span>
)

interface PaletteOptionProps {
  readonly offer: Offer
  readonly isChosen: boolean
  readonly onChoose: () => void
}

/** The field keeps the focus, and its keys choose. */
const PaletteOption = ({ offer, isChosen, onChoose }: PaletteOptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and takes the keys
  // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and takes the keys
  <div id={idOf(offer)} class="palette-option" role="option" aria-selected={isChosen} onClick={onChoose}>
    <span class="clip" dir="auto">
      {isolated(offer.name)}
    </span>
    <span class="palette-kind faint small-text">{offer.kind}</span>
  </div>
)

const idOf = ({ id }: Offer): string => `palette ${id}`.replaceAll(/\W+/g, '-')
