import { useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { voices as voicesQuery } from '../operations.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field, Segments, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { formFields } from '../playground/form-fields.ts'
import { offeredEndpoint } from '../playground/offered-endpoint.ts'
import { createWhole } from './create-project.ts'
import { ImportError, type Imported } from './import/blocks.ts'
import { isMostlyDialogue, samplesOf, speakersIn } from './import/dialogue.ts'
import { EncodingChoice } from './import/encoding-choice.tsx'
import { readFile, readPasted } from './import/read-file.ts'
import { TextFileChoice } from './import/text-file-choice.tsx'
import { castOf, projectChapters, STYLE_INPUT } from './model/import-project.ts'
import { chapterOf, type Project, paragraphOf, type Settings } from './model/project.ts'

type Way = 'file' | 'paste' | 'empty'

const NAME = { label: 'Name', maxLength: 200, dir: 'auto', autocomplete: 'off' } as const
const UNREADABLE = 'This file cannot be read.'

interface NewProjectDialogProps {
  /** A text to begin with, or nothing. */
  readonly begin: string
  readonly onClose: () => void
}

/** Begins a project: from a file, from a text that is pasted, or with an empty page. */
export function NewProjectDialog({ begin, onClose }: NewProjectDialogProps) {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const [way, setWay] = useState<Way>(begin === '' ? 'file' : 'paste')
  const source = useSource(begin)
  const found = way === 'file' ? source.file : way === 'paste' ? source.pasted : null
  const voice = useFirstVoice()
  const dialogue = useDialogue(found)
  const title = name.trim() || found?.name || 'Untitled'
  const create = useAction(async () => {
    const names = dialogue.isOn ? dialogue.speakers.map(([one]) => one) : []
    const id = await createWhole(projectOf(title, found, names, voice))
    onClose()
    route(at(`/studio/${id}`))
  })
  const isReady = (way === 'empty' || found !== null) && voice !== null
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (isReady) void create.run()
  }
  return (
    <Dialog title="New project" onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {create.failure !== null && <Failure failure={create.failure} />}
        <Segments label="Text" value={way} onChange={setWay} options={WAYS} />
        {way === 'file' && <TextFileChoice name={source.fileName} error={source.error} onChoose={source.choose} />}
        {way === 'paste' && <PasteField text={source.text} error={source.pasteError} onText={source.setText} />}
        {found !== null && <Summary found={found} />}
        {found?.encoding !== undefined && <EncodingChoice found={found} onChoose={source.decode} />}
        {dialogue.speakers.length > 0 && <DialogueChoice {...dialogue} />}
        <TextField {...NAME} placeholder={found?.name || 'Untitled'} value={name} onText={setName} />
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={!isReady || create.isOff}>
            {create.isRunning ? 'Making it…' : 'Make the project'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Who speaks in a text. It is a dialogue if it looks so, unless the user says otherwise. */
function useDialogue(found: Imported | null): DialogueChoiceProps {
  const [chosen, onChange] = useState<boolean | null>(null)
  const seen = useMemo(() => {
    const paragraphs = found?.chapters.flatMap((chapter) => chapter.paragraphs) ?? []
    const speakers = speakersIn(paragraphs)
    return { paragraphs, speakers, isLikely: isMostlyDialogue(paragraphs, speakers) }
  }, [found])
  return { paragraphs: seen.paragraphs, speakers: seen.speakers, isOn: chosen ?? seen.isLikely, onChange }
}

const WAYS = [
  ['file', 'A file'],
  ['paste', 'Paste a text'],
  ['empty', 'Empty'],
] as const

/** The text of a file, and one that is pasted. */
function useSource(begin: string) {
  const [chosen, setChosen] = useState<File | null>(null)
  const [file, setFile] = useState<Imported | null>(null)
  const [error, setError] = useState<string | undefined>(undefined)
  const [text, setText] = useState(begin)
  const read = async (from: File, encoding?: string): Promise<void> => {
    setError(undefined)
    try {
      setFile(await readFile(from.name, new Uint8Array(await from.arrayBuffer()), encoding))
    } catch (reason) {
      setError(reason instanceof ImportError ? reason.message : UNREADABLE)
    }
  }
  const choose = (from: File): void => {
    setChosen(from)
    setFile(null)
    void read(from)
  }
  const decode = (encoding: string): void => {
    if (chosen !== null) void read(chosen, encoding)
  }
  const { pasted, pasteError } = readText(text)
  return { fileName: chosen?.name ?? null, file, error, choose, decode, text, setText, pasted, pasteError }
}

function readText(text: string): { readonly pasted: Imported | null; readonly pasteError?: string } {
  if (text.trim() === '') return { pasted: null }
  try {
    return { pasted: readPasted(text) }
  } catch (reason) {
    return { pasted: null, pasteError: reason instanceof ImportError ? reason.message : UNREADABLE }
  }
}

interface PasteFieldProps {
  readonly text: string
  readonly error: string | undefined
  readonly onText: (text: string) => void
}

const PasteField = ({ text, error, onText }: PasteFieldProps) => (
  <Field
    label="Text"
    hint="Paragraphs are parted by blank lines. Short lines that stand alone begin chapters."
    error={error}
  >
    {(parts) => (
      <textarea
        {...parts}
        class="input"
        rows={8}
        dir="auto"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    )}
  </Field>
)

function Summary({ found: { chapters } }: { found: Imported }) {
  const paragraphs = chapters.flatMap((chapter) => chapter.paragraphs)
  const characters = paragraphs.reduce((sum, text) => sum + text.length, 0)
  return (
    <div class="import-found" role="status">
      <p>
        <strong>{some(chapters.length, 'chapter')}</strong>, {some(paragraphs.length, 'paragraph')},{' '}
        {some(characters, 'character')}
      </p>
      <ol class="muted small-text">
        {chapters.slice(0, SHOWN).map(({ title }, index) => (
          <li key={index} dir="auto">
            {title}
          </li>
        ))}
        {chapters.length > SHOWN && <li class="more">and {count(chapters.length - SHOWN)} more</li>}
      </ol>
    </div>
  )
}

const SHOWN = 5
const some = (value: number, word: string): string => `${count(value)} ${word}${value === 1 ? '' : 's'}`

interface DialogueChoiceProps {
  readonly paragraphs: readonly string[]
  readonly speakers: ReturnType<typeof speakersIn>
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

const DialogueChoice = ({ paragraphs, speakers, isOn, onChange }: DialogueChoiceProps) => {
  const names = speakers.map(([name]) => name)
  return (
    <div class="field">
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
        <span>
          This is a dialogue: names before a colon are speakers, each with a voice of their own, and are not read out
        </span>
      </label>
      <p class="hint" dir="auto">
        {speakers
          .slice(0, MOST_NAMED)
          .map(([name, lines]) => `${name} (${some(lines, 'line')})`)
          .join(', ')}
        {speakers.length > MOST_NAMED && ` and ${count(speakers.length - MOST_NAMED)} more`}
      </p>
      <ul class="import-samples small-text" aria-label="The first lines as they are read out">
        {samplesOf(paragraphs, names, MOST_SAMPLES).map(({ dropped, text }, index) => (
          <li key={index} dir="auto">
            {isOn ? <del>{dropped}</del> : dropped} {text.slice(0, MAX_SAMPLE)}
          </li>
        ))}
      </ul>
    </div>
  )
}

const MOST_SAMPLES = 3
const MAX_SAMPLE = 120
const MOST_NAMED = 8

interface FirstVoice {
  readonly settings: Settings
  /** In turn for the speakers of a dialogue. */
  readonly others: readonly string[]
  readonly hasStyle: boolean
}

/** Null while it is not known; without an endpoint a project has none. */
function useFirstVoice(): FirstVoice | null {
  const { data, failure } = useQuery(voicesQuery, {})
  if (data === null) return failure === null ? null : { settings: {}, others: [], hasStyle: false }
  const endpoint = offeredEndpoint(data.myEndpoints, {})
  if (endpoint === undefined) return { settings: {}, others: [], hasStyle: false }
  const [first, ...others] = endpoint.voices.map(({ slug }) => slug)
  return {
    settings: { endpoint: endpoint.slug, ...(first !== undefined && { voice: first }) },
    others,
    hasStyle: formFields(endpoint.schema).some(({ name }) => name === STYLE_INPUT),
  }
}

function projectOf(name: string, found: Imported | null, names: readonly string[], voice: FirstVoice | null): Project {
  const chapters =
    found === null
      ? [chapterOf('Chapter 1', [paragraphOf('')])]
      : projectChapters(found.chapters, names, voice?.hasStyle ?? false)
  const others = voice?.others ?? []
  const speakers = castOf(names).map((speaker, index) => {
    const own = others[index % others.length]
    return own === undefined ? speaker : { ...speaker, settings: { voice: own } }
  })
  return { name, settings: voice?.settings ?? {}, speakers, chapters }
}
