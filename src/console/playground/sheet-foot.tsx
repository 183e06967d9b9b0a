import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { balance } from '../shell/balance.ts'
import { characters } from './form-fields.ts'

interface CostProps {
  readonly text: string
  /** That the text is found to be in; null while it is not known. */
  readonly language: string | null
  /** Characters that the endpoint takes; undefined: it names no limit. */
  readonly most: number | undefined
  readonly perCharacter: number
}

interface SheetFootProps extends CostProps {
  readonly isOff: boolean
  /** The text is shown as it will be read. */
  readonly isRead: boolean
  readonly onRead: () => void
  readonly onCode: () => void
}

export const SheetFoot = ({ isOff, isRead, onRead, onCode, ...cost }: SheetFootProps) => (
  <div class="sheet-foot">
    <Cost {...cost} />
    <button type="button" class="button" aria-expanded={isRead} aria-controls="reading" onClick={onRead}>
      <Icon name="lexicon" /> How it will be read
    </button>
    <button type="button" class="button" onClick={onCode}>
      <Icon name="code" /> As code
    </button>
    <button type="submit" class="button primary" aria-disabled={isOff} data-act="Speak this text">
      <Icon name="playground" /> Speak <kbd>Ctrl ↵</kbd>
    </button>
  </div>
)

/** Known before anything is sent. What is wrong is read out, not the figures with each letter. */
function Cost({ text, language, most, perCharacter }: CostProps) {
  const length = characters(text)
  const cost = length * perCharacter
  const isTooLong = most !== undefined && length > most
  return (
    <p class="muted small-text figure">
      {!isTooLong && `${count(length)} ${length === 1 ? 'character' : 'characters'}`}
      <span role="status">
        {isTooLong && (
          <span class="pill bad">
            {count(length)} of {count(most)} characters
          </span>
        )}
      </span>
      {length > 0 && ` · ${count(cost)} ${cost === 1 ? 'credit' : 'credits'} `}
      {language !== null && <span title="Detected language">· {language} </span>}
      <span role="status">
        {(balance.value <= 0 || cost > balance.value) && (
          <span class="pill warn">
            {balance.value <= 0 ? 'No credits left' : `${count(balance.value)} credits left`}
          </span>
        )}
      </span>
    </p>
  )
}
