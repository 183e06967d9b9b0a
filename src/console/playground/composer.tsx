import { useRef, useState } from 'preact/hooks'
import { serviceUrl } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import type { VoicesQuery } from '../operations.ts'
import { Failure } from '../parts/failure.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { balance } from '../shell/balance.ts'
import { CodeDialog } from './code-dialog.tsx'
import { draftText, replaced, takeBack } from './draft.ts'
import { characters, type FormField, formFields, inputsOf } from './form-fields.ts'
import { type FormValue, InputField } from './input-field.tsx'
import { startTake } from './takes.ts'
import { VoicePicker } from './voice-picker.tsx'

type Endpoint = VoicesQuery['myEndpoints'][number]
type Values = Readonly<Record<string, FormValue>>

interface ComposerProps {
  readonly endpoint: Endpoint
  readonly chosenVoice: string | undefined
  readonly onVoice: (slug: string) => void
  /** The URLs of samples have expired. */
  readonly onExpired: () => void
}

const EXAMPLES = [
  ['A greeting', 'Hello! This is Sonant. Type anything here, choose a voice, and press Speak.'],
  ['An announcement', 'Attention please. The train to the coast departs from platform four in ten minutes.'],
  [
    'A story',
    'The lighthouse had been dark for eleven years. Then, on the first night of winter, somebody lit the lamp again.',
  ],
] as const

/** The form: the text as a page, and next to it voice and style. */
export function Composer({ endpoint, chosenVoice, onVoice, onExpired }: ComposerProps) {
  const fields = formFields(endpoint.schema)
  const [values, setValues] = useState<Values>(() => ({ text: draftText.peek() }))
  const [isCodeOpen, setCodeOpen] = useState(false)
  const voice = endpoint.voices.find(({ slug }) => slug === chosenVoice) ?? endpoint.voices[0]
  const all: Values = { ...values, [endpoint.voiceInput]: voice?.slug }
  const text = typeof values.text === 'string' ? values.text : ''
  const set = (name: string, value: FormValue): void => setValues((before) => ({ ...before, [name]: value }))
  const speak = useAction(async () => {
    const about = { endpoint: endpoint.slug, voice: voice?.slug ?? '', voiceName: voice?.name ?? 'the voice', text }
    await startTake(about, inputsOf(fields, all))
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (text.trim() !== '') void speak.run()
  }
  const errors = errorsOf(speak.failure?.details ?? [])
  const others = fields.filter(({ name }) => name !== 'text' && name !== endpoint.voiceInput)
  return (
    <form class="composer" onSubmit={onSubmit}>
      <div class="sheet card">
        {speak.failure !== null && <Failure failure={speak.failure} />}
        <Sheet
          field={fields.find(({ name }) => name === 'text')}
          text={text}
          error={errors.text}
          onText={(value) => {
            draftText.value = value
            set('text', value)
          }}
        />
        <div class="sheet-foot">
          <Cost text={text} perCharacter={endpoint.creditsPerCharacter} />
          <span class="grow" />
          <button type="button" class="button" onClick={() => setCodeOpen(true)}>
            <Icon name="code" /> As code
          </button>
          <button type="submit" class="button primary" disabled={speak.isRunning || text.trim() === ''}>
            <Icon name="playground" /> Speak <kbd>Ctrl ↵</kbd>
          </button>
        </div>
      </div>
      <aside class="dials card" aria-label="Voice and style">
        <VoicePicker voices={endpoint.voices} chosen={voice?.slug ?? ''} onChoose={onVoice} onExpired={onExpired} />
        {others.map((field) => (
          <InputField
            key={field.name}
            field={field}
            value={values[field.name]}
            error={errors[field.name]}
            onChange={(value) => set(field.name, value)}
          />
        ))}
      </aside>
      {isCodeOpen && (
        <CodeDialog
          spoken={spokenOf(endpoint, fields, { ...all, text: text || EXAMPLES[0][1] })}
          onClose={() => setCodeOpen(false)}
        />
      )}
    </form>
  )
}

interface SheetProps {
  readonly field: FormField | undefined
  readonly text: string
  readonly error: string | undefined
  readonly onText: (text: string) => void
}

function Sheet({ field, text, error, onText }: SheetProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const maxLength = field?.control.kind === 'text' ? field.control.maxLength : undefined
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) area.current?.form?.requestSubmit()
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
        value={text}
        aria-invalid={error !== undefined}
        aria-describedby="text-note"
        placeholder="Type or paste what is to be spoken…"
        onKeyDown={onKeyDown}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <p id="text-note" class={error === undefined ? 'unseen' : 'hint bad sheet-note'}>
        {error ?? `At most ${count(maxLength ?? 0)} characters`}
      </p>
      {replaced.value !== null && <BackToText kept={replaced.value} onText={onText} />}
      {text === '' && (
        <p class="row sheet-note">
          <span class="faint small-text">Start with</span>
          {EXAMPLES.map(([name, example]) => (
            <button key={name} type="button" class="button small" onClick={() => onText(example)}>
              {name}
            </button>
          ))}
        </p>
      )}
    </>
  )
}

type BackToTextProps = Pick<SheetProps, 'onText'> & { readonly kept: Parameters<typeof takeBack>[0] }

const BackToText = ({ kept, onText }: BackToTextProps) => (
  <p class="row sheet-note">
    <button type="button" class="button small" onClick={() => onText(takeBack(kept))}>
      Back to your text
    </button>
  </p>
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

const spokenOf = (endpoint: Endpoint, fields: readonly FormField[], values: Values) => ({
  service: serviceUrl(),
  slug: endpoint.slug,
  voiceInput: endpoint.voiceInput,
  inputs: tolerantInputs(fields, values),
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

/** By the name of the input: `/inputs/text` and `/inputs/voice/0` say where. */
function errorsOf(details: readonly { path: string; message: string }[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    details.map(({ path, message }) => [path.replace(/^\/?inputs\//, '').split('/')[0] ?? '', message]),
  )
}
