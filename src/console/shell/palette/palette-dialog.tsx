import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../../api/base.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { isolated } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { closePalette, foundOffers, type Offer } from './palette.ts'
import { offerOf, useOffers } from './use-offers.ts'

const LIST = 'palette-list'

/** Finds a screen, a voice, an id or something to do by words; the arrows choose, Enter goes there. */
export function PaletteDialog() {
  const { route } = useLocation()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const own = offerOf(text, (path) => route(at(path)))
  const offers = [...foundOffers(useOffers(), text), ...(own === null ? [] : [own])]
  const choose = (offer: Offer | undefined): void => {
    if (offer === undefined) return
    closePalette()
    // The dialog gives the focus back before another one takes it.
    setTimeout(offer.choose)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') choose(offers[chosen])
    else if (step !== 0) setChosen((chosen + step + offers.length) % Math.max(1, offers.length))
    else return
    event.preventDefault()
  }
  const onText = (value: string): void => {
    setText(value)
    setChosen(0)
  }
  return (
    <Dialog title="Go to, or do" onClose={closePalette}>
      <PaletteField text={text} chosen={offers[chosen]} onText={onText} onKeyDown={onKeyDown} />
      <div id={LIST} class="palette-list" role="listbox" aria-label="Found">
        {offers.map((offer, index) => (
          <PaletteOption key={offer.id} offer={offer} isChosen={index === chosen} onChoose={() => choose(offer)} />
        ))}
      </div>
    </Dialog>
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
      placeholder="A page, a voice, an id, something to do or to say…"
      aria-label="Go to, or do"
      aria-expanded="true"
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
    <span class="faint small-text">{offer.kind}</span>
  </div>
)

const idOf = ({ id }: Offer): string => `palette ${id}`.replaceAll(/\W+/g, '-')
