import { useRef, useState } from 'preact/hooks'
import { serviceUrl } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import type { VoicesQuery } from '../operations.ts'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { balance } from '../shell/balance.ts'
import { draftInputs, draftText } from './draft.ts'
import { characters, type FormField, formFields, inputsOf } from './form-fields.ts'
import { type FormValue, InputField } from './input-field.tsx'
import { Refusal } from './refusal.tsx'
import { EXAMPLES, Sheet } from './sheet.tsx'
import { startTake } from './takes.ts'
import { VoicePicker } from './voice-picker.tsx'

type Endpoint = VoicesQuery['myEndpoints'][number]
type Values = Readonly<Record<string, FormValue>>
/** By the names of inputs. */
type Errors = Readonly<Record<string, string | undefined>>

interface ComposerProps {
  readonly endpoint: Endpoint
  readonly chosenVoice: string | undefined
  readonly onVoice: (slug: string) => void
  /** The URLs of samples have expired. */
  readonly onExpired: () => void
}

/** The form: the text as a page, and next to it voice and style. Enter with Ctrl or ⌘ speaks from anywhere in it. */
export function Composer({ endpoint, chosenVoice, onVoice, onExpired }: ComposerProps) {
  const { fields, voice, values, text, set, setText } = useInputs(endpoint, chosenVoice)
  const { CodeDialog, code, close } = useCodeDialog()
  const form = useRef<HTMLFormElement>(null)
  const speak = useAction(async () => {
    const spokenBy = { voice: voice?.slug ?? '', voiceName: voice?.name ?? 'the voice' }
    await startTake({ endpoint: endpoint.slug, ...spokenBy, text, inputs: inputsOf(fields, values) })
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (text.trim() !== '') void speak.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || CodeDialog !== null) return
    event.preventDefault()
    form.current?.requestSubmit()
  }
  const failure = speak.failure ?? code.failure
  const errors = errorsOf(speak.failure?.details ?? [])
  const others = fields.filter(({ name }) => name !== 'text' && name !== endpoint.voiceInput)
  return (
    <form ref={form} class="composer" onSubmit={onSubmit} onKeyDown={onKeyDown}>
      <div class="sheet card">
        {failure !== null && <Refusal failure={failure} onPath={(path) => focusInput(form.current, path)} />}
        <Sheet field={fields.find(({ name }) => name === 'text')} text={text} error={errors.text} onText={setText} />
        <SheetFoot
          text={text}
          perCharacter={endpoint.creditsPerCharacter}
          isOff={speak.isOff || text.trim() === ''}
          onCode={() => void code.run()}
        />
      </div>
      <aside class="dials card" aria-label="Voice and style">
        <VoicePicker voices={endpoint.voices} chosen={voice?.slug ?? ''} onChoose={onVoice} onExpired={onExpired} />
        <OtherInputs fields={others} values={values} errors={errors} onChange={set} />
      </aside>
      {CodeDialog !== null && <CodeDialog spoken={spokenOf(endpoint, fields, values)} onClose={close} />}
    </form>
  )
}

/** A file of its own, which most visits never open. */
function useCodeDialog() {
  const [CodeDialog, setCodeDialog] = useState<typeof import('./code-dialog.tsx').CodeDialog | null>(null)
  const code = useAction(async () => {
    const loaded = await import('./code-dialog.tsx')
    setCodeDialog(() => loaded.CodeDialog)
  })
  return { CodeDialog, code, close: () => setCodeDialog(null) }
}

/** What is filled in, with the chosen voice in its own input. */
function useInputs(endpoint: Endpoint, chosenVoice: string | undefined) {
  const [typed, setTyped] = useState<Values>(() => ({ ...draftInputs.get(endpoint.slug), text: draftText.peek() }))
  const voice = endpoint.voices.find(({ slug }) => slug === chosenVoice) ?? endpoint.voices[0]
  const values: Values = { ...typed, [endpoint.voiceInput]: voice?.slug }
  const text = typeof typed.text === 'string' ? typed.text : ''
  const set = (name: string, value: FormValue): void =>
    setTyped((before) => {
      const inputs = { ...before, [name]: value }
      draftInputs.set(endpoint.slug, inputs)
      return inputs
    })
  const setText = (value: string): void => {
    draftText.value = value
    set('text', value)
  }
  return { fields: formFields(endpoint.schema), voice, values, text, set, setText }
}

interface SheetFootProps {
  readonly text: string
  readonly perCharacter: number
  readonly isOff: boolean
  readonly onCode: () => void
}

const SheetFoot = ({ text, perCharacter, isOff, onCode }: SheetFootProps) => (
  <div class="sheet-foot">
    <Cost text={text} perCharacter={perCharacter} />
    <span class="grow" />
    <button type="button" class="button" onClick={onCode}>
      <Icon name="code" /> As code
    </button>
    <button type="submit" class="button primary" disabled={isOff}>
      <Icon name="playground" /> Speak <kbd>Ctrl ↵</kbd>
    </button>
  </div>
)

/** Known before anything is sent. */
function Cost({ text, perCharacter }: { text: string; perCharacter: number }) {
  const length = characters(text)
  const cost = length * perCharacter
  return (
    <p class="muted small-text figure" aria-live="polite">
      {count(length)} {length === 1 ? 'character' : 'characters'}
      {length > 0 && ` · ${count(cost)} ${cost === 1 ? 'credit' : 'credits'} `}
      {(balance.value <= 0 || cost > balance.value) && (
        <span class="pill warn">{balance.value <= 0 ? 'No credits left' : `${count(balance.value)} credits left`}</span>
      )}
    </p>
  )
}

interface OtherInputsProps {
  readonly fields: readonly FormField[]
  readonly values: Values
  readonly errors: Errors
  readonly onChange: (name: string, value: FormValue) => void
}

const OtherInputs = ({ fields, values, errors, onChange }: OtherInputsProps) => (
  <>
    {fields.map((field) => (
      <InputField
        key={field.name}
        field={field}
        value={values[field.name]}
        error={errors[field.name]}
        onChange={(value) => onChange(field.name, value)}
      />
    ))}
  </>
)

const spokenOf = (endpoint: Endpoint, fields: readonly FormField[], values: Values) => ({
  service: serviceUrl(),
  slug: endpoint.slug,
  voiceInput: endpoint.voiceInput,
  inputs: tolerantInputs(fields, { ...values, text: values.text || EXAMPLES[0][1] }),
})

/** JSON that does not parse yet is left out of the code. */
function tolerantInputs(fields: readonly FormField[], values: Values): Record<string, unknown> {
  const readable = fields.filter((field) => {
    try {
      inputsOf([field], values)
      return true
    } catch {
      return false
    }
  })
  return inputsOf(readable, values)
}

/** By the name of the input. */
const errorsOf = (details: readonly { path: string; message: string }[]): Errors =>
  Object.fromEntries(details.map(({ path, message }) => [inputOf(path), message]))

/** `/inputs/text` and `/inputs/voice/0` say where. */
const inputOf = (path: string): string => path.replace(/^\/?inputs\//, '').split('/')[0] ?? ''

function focusInput(form: HTMLFormElement | null, path: string): void {
  const input = form?.elements.namedItem(inputOf(path))
  if (input instanceof HTMLElement) input.focus()
}
