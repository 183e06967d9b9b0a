import { useRef } from 'preact/hooks'
import { at } from '../api/base.ts'
import { count } from '../parts/format.ts'
import { langOf } from '../parts/languages.ts'
import { replaced, takeBack } from './draft.ts'
import { characters } from './form-fields.ts'

export const EXAMPLES = [
  ['A greeting', 'Hello! This is Sonant. Type anything here, choose a voice, and press Speak.'],
  ['An announcement', 'Attention please. The train to the coast departs from platform four in ten minutes.'],
  [
    'A story',
    'The lighthouse had been dark for eleven years. Then, on the first night of winter, somebody lit the lamp again.',
  ],
] as const

interface SheetProps {
  /** Characters that the endpoint takes; undefined: it names no limit. */
  readonly most: number | undefined
  readonly text: string
  readonly language: string | null
  readonly error: string | undefined
  readonly onText: (text: string) => void
}

/** The text as a page. */
export function Sheet({ most, text, language, error, onText }: SheetProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const begin = (example: string): void => {
    onText(example)
    area.current?.focus()
  }
  return (
    <>
      <label class="unseen" for="text">
        Text
      </label>
      <textarea
        id="text"
        ref={area}
        class="sheet-text"
        dir="auto"
        lang={langOf(language)}
        value={text}
        aria-invalid={error !== undefined}
        aria-describedby="text-note"
        placeholder="Type or paste what is to be spoken…"
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <p id="text-note" class={error === undefined ? 'unseen' : 'hint bad sheet-note'}>
        {error ?? (most === undefined ? 'As long as you like' : `At most ${count(most)} characters`)}
      </p>
      {isTooLong(text, most) && <ToStudio />}
      {replaced.value !== null && <BackToText kept={replaced.value} onText={onText} />}
      {text === '' && <Examples onBegin={begin} />}
    </>
  )
}

const Examples = ({ onBegin }: { readonly onBegin: (example: string) => void }) => (
  <p class="row sheet-note">
    <span class="faint small-text">Start with</span>
    {EXAMPLES.map(([name, example]) => (
      <button key={name} type="button" class="button small" onClick={() => onBegin(example)}>
        {name}
      </button>
    ))}
  </p>
)

const isTooLong = (text: string, most = Number.POSITIVE_INFINITY): boolean =>
  text.length > most && characters(text) > most

const ToStudio = () => (
  <p class="row sheet-note">
    <a class="button small" href={at('/studio?new=text')}>
      Open it in the Studio
    </a>
    <span class="muted small-text">There a text may be as long as a book.</span>
  </p>
)

type BackToTextProps = Pick<SheetProps, 'onText'> & { readonly kept: Parameters<typeof takeBack>[0] }

const BackToText = ({ kept, onText }: BackToTextProps) => (
  <p class="row sheet-note">
    <button type="button" class="button small" onClick={() => onText(takeBack(kept))}>
      Back to your text
    </button>
  </p>
)
