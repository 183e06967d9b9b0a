import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import { serviceUrl } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import type { VoicesQuery } from '../operations.ts'
import { count } from '../parts/format.ts'
import { langOf } from '../parts/languages.ts'
import { draftInputs, draftText, isToSpeak, noteInputs } from './draft.ts'
import { excessOf, type FormField, formFields, inputsOf, mostOf } from './form-fields.ts'
import { type FormValue, InputField } from './input-field.tsx'
import { Refusal } from './refusal.tsx'
import { EXAMPLES, Sheet } from './sheet.tsx'
import { SheetFoot } from './sheet-foot.tsx'
import { startTake } from './takes.ts'
import { useReadingPanel } from './use-reading-panel.tsx'
import { useTextLanguage } from './use-text-language.ts'
import { VoicePicker } from './voice-picker.tsx'

type Endpoint = VoicesQuery['myEndpoints'][number]
type Values = Readonly<Record<string, FormValue>>
/** By the names of inputs. */
type Errors = Readonly<Record<string, string | undefined>>

interface ComposerProps {
  readonly endpoint: Endpoint
  readonly chosenVoice: string | undefined
  /** It is not known yet whether the endpoint has the chosen voice: nothing is spoken by another one meanwhile. */
  readonly isAwaited: boolean
  readonly onVoice: (slug: string) => void
  /** The URLs of samples have expired. */
  readonly onExpired: () => void
}

/** The form: the text as a page, and next to it voice and style. Enter with Ctrl or ⌘ speaks from anywhere in it. */
export function Composer({ endpoint, chosenVoice, isAwaited, onVoice, onExpired }: ComposerProps) {
  const filled = useInputs(endpoint, chosenVoice)
  const { fields, voice, values, text, set, setText } = filled
  const { CodeDialog, code, close } = useCodeDialog()
  const about = { text, voice: voice?.slug ?? null }
  const reading = useReadingPanel({ ...about, slug: endpoint.slug, language: languageIn(values) })
  const language = useTextLanguage(text, endpoint.slug, about.voice)
  const form = useRef<HTMLFormElement>(null)
  const { speak, isOff, onSubmit } = useSpeaking(endpoint, { ...filled, language }, isAwaited)
  const onKeyDown = (event: KeyboardEvent) => CodeDialog === null && submitOnEnter(form.current, event)
  const failure = speak.failure ?? code.failure ?? reading.toggle.failure
  const errors = errorsOf(speak.failure?.details ?? [])
  const sheet = fields.find(({ name }) => name === 'text')
  const others = fields.filter(({ name }) => name !== 'text' && name !== endpoint.voiceInput)
  const cost = { text, language, perCharacter: endpoint.creditsPerCharacter }
  return (
    <>
      <form ref={form} class="composer" onSubmit={onSubmit} onKeyDown={onKeyDown}>
        <div class="sheet card">
          {failure !== null && <FormRefusal {...{ failure, fields, form }} voiceInput={endpoint.voiceInput} />}
          <Sheet {...{ text, language }} most={mostOf(sheet)} error={errors.text} onText={setText} />
          {reading.panel}
          <SheetFoot
            {...{ ...cost, isOff, most: mostOf(sheet) }}
            isRead={reading.isOpen}
            onRead={() => void reading.toggle.run()}
            onCode={() => void code.run()}
          />
        </div>
        <aside class="dials card" aria-label="Voice and style">
          <VoicePicker voices={endpoint.voices} chosen={voice?.slug ?? ''} onChoose={onVoice} onExpired={onExpired} />
          <OtherInputs fields={others} values={values} errors={errors} onChange={set} />
        </aside>
        {CodeDialog !== null && <CodeDialog spoken={spokenOf(endpoint, fields, values)} onClose={close} />}
      </form>
      {/* Its form would be part of the other one. */}
      {reading.dialog}
    </>
  )
}

interface FormRefusalProps {
  readonly failure: ApiError
  readonly fields: readonly FormField[]
  readonly form: { readonly current: HTMLFormElement | null }
  readonly voiceInput: string
}

const FormRefusal = ({ failure, fields, form, voiceInput }: FormRefusalProps) => (
  <Refusal
    failure={failure}
    onPath={(path) => focusInput(form.current, path)}
    fieldOf={(path) => fieldOf(fields, voiceInput, path)}
  />
)

/** The language that the form asks for, if it is one that the service knows. */
const languageIn = ({ language }: Values): string | undefined =>
  typeof language === 'string' && langOf(language) !== undefined ? language : undefined

function submitOnEnter(form: HTMLFormElement | null, event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  form?.requestSubmit()
}

/** The Speak button. It is off without a text, with a text that is too long, and while the voice loads. */
function useSpeaking(endpoint: Endpoint, { fields, voice, values, text, language }: Spoken, isAwaited: boolean) {
  const speak = useAction(async () => {
    const spokenBy = { voice: voice?.slug ?? '', voiceName: voice?.name ?? 'the voice' }
    await startTake({ endpoint: endpoint.slug, ...spokenBy, text, language, inputs: inputsOf(fields, values) })
  })
  const isReady = text.trim() !== '' && !isAwaited && fields.every((field) => !excessOf(field, values[field.name]))
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (isReady) void speak.run()
  }
  useEffect(() => {
    if (!isReady || !isToSpeak.peek()) return
    isToSpeak.value = false
    void speak.run()
  }, [isReady])
  return { speak, isOff: speak.isOff || !isReady, onSubmit }
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

type Filled = ReturnType<typeof useInputs>
type Spoken = Filled & { readonly language: string | null }

/** Holds the inputs, with the chosen voice in its own one. */
function useInputs(endpoint: Endpoint, chosenVoice: string | undefined) {
  const [typed, setTyped] = useState<Values>(() => ({ ...draftInputs.get(endpoint.slug), text: draftText.peek() }))
  const voice = endpoint.voices.find(({ slug }) => slug === chosenVoice) ?? endpoint.voices[0]
  const values: Values = { ...typed, [endpoint.voiceInput]: voice?.slug }
  const text = typeof typed.text === 'string' ? typed.text : ''
  const set = (name: string, value: FormValue): void =>
    setTyped((before) => {
      const inputs = { ...before, [name]: value }
      noteInputs(endpoint.slug, inputs)
      return inputs
    })
  const setText = (value: string): void => {
    draftText.value = value
    set('text', value)
  }
  return { fields: formFields(endpoint.schema), voice, values, text, set, setText }
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
        error={errorOf(field, values[field.name]) ?? errors[field.name]}
        onChange={(value) => onChange(field.name, value)}
      />
    ))}
  </>
)

function errorOf(field: FormField, value: FormValue): string | undefined {
  const excess = excessOf(field, value)
  return excess === null ? undefined : `${count(excess.length)} of ${count(excess.most)} characters`
}

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

/** The label of an input. The voice picker cannot show an error itself. */
function fieldOf(fields: readonly FormField[], voiceInput: string, path: string) {
  const field = fields.find(({ name }) => name === inputOf(path))
  return field && { label: field.title, saysWhy: field.name !== voiceInput }
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
