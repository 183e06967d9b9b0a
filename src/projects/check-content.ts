import { requireAccount } from '../access/require.ts'
import { requireEndpoint } from '../catalog/endpoints.ts'
import { findLibraryVoice } from '../catalog/library-voices.ts'
import { codePoints } from '../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Detail, invalidRequest, MAX_DETAILS, ServiceError } from '../errors/service-error.ts'
import { hasControl } from '../values/printable.ts'
import { type Content, charactersOf, type Paragraph, paragraphsOf, type Settings } from './content.ts'

const MAX_CHARACTERS = 1_000_000
const MAX_PARAGRAPHS = 5000
const MAX_CHAPTERS = 500
export const MAX_SPEAKERS = 100
/** An answer holds a chapter as a whole. */
export const MAX_CHAPTER_PARAGRAPHS = 2000
const MAX_NAME_CHARACTERS = 200
const MAX_SPEAKER_CHARACTERS = 100
const MAX_PARAGRAPH_CHARACTERS = 10_000
const MAX_PAUSE_MS = 60_000
const MAX_INPUTS_UNITS = 2000
const MAX_CHOICE_CHARACTERS = 200
const MAX_SETTINGS_UNITS = 1_000_000
const KEY = /^[\w.:-]{1,64}$/

type Note = (path: string, message: string) => void

/**
 * Settings that the project had before are not checked, so an endpoint or voice that is gone, or has changed above, keeps nobody from saving.
 * @param before null: a new project
 * @throws INVALID_REQUEST
 */
export async function checkContent(ctx: Context, content: Content, before: Content | null): Promise<void> {
  const details: Detail[] = []
  const note: Note = (path, message) => {
    if (details.push({ path, message }) >= MAX_DETAILS) throw invalid(details)
  }
  checkText(note, '/name', content.name, 1, MAX_NAME_CHARACTERS)
  checkSettings(note, '/settings', content.settings)
  checkSpeakers(note, content)
  checkChapters(note, content)
  if (settingsUnits(content) > MAX_SETTINGS_UNITS)
    note('/chapters', `must NOT have settings of more than ${MAX_SETTINGS_UNITS} characters as JSON`)
  if (details.length > 0) throw invalid(details)
  const known = new Set(before === null ? [] : [...choicesIn(before)].map(ownChoice))
  const fresh = [...choicesIn(content)].filter((choice) => !known.has(ownChoice(choice)))
  for (const same of Map.groupBy(fresh, choiceKey).values()) {
    const [field, message] = (await wrongChoice(ctx, same[0]!)) ?? []
    if (field !== undefined) for (const { path } of same) note(`${path}/${field}`, message!)
  }
  if (details.length > 0) throw invalid(details)
}

const invalid = (details: readonly Detail[]) => invalidRequest('Invalid project: see `details`.', details)

function checkText(note: Note, path: string, text: string, least: number, most: number): void {
  if (codePoints(text) > most || (least > 0 && text.trim() === ''))
    note(path, `must have ${least} to ${most} characters, not only white space`)
  else if (hasControl(text)) note(path, 'must not hold control characters')
}

function checkSettings(note: Note, path: string, settings: Settings = {}): void {
  const { endpoint, voice, inputs, pauseMs } = settings
  for (const [name, chosen] of Object.entries({ endpoint, voice }))
    if (chosen !== undefined && codePoints(chosen) > MAX_CHOICE_CHARACTERS)
      note(`${path}/${name}`, `must have at most ${MAX_CHOICE_CHARACTERS} characters`)
  if (pauseMs !== undefined && (pauseMs < 0 || pauseMs > MAX_PAUSE_MS))
    note(`${path}/pauseMs`, `must be from 0 to ${MAX_PAUSE_MS}`)
  if (inputs === undefined) return
  if (typeof inputs !== 'object' || Array.isArray(inputs)) note(`${path}/inputs`, 'must be an object')
  else if ('text' in inputs) note(`${path}/inputs/text`, 'is the text of the paragraph')
  else if (JSON.stringify(inputs).length > MAX_INPUTS_UNITS)
    note(`${path}/inputs`, `must have at most ${MAX_INPUTS_UNITS} characters as JSON`)
}

const settingsUnits = ({ settings, speakers, chapters }: Content): number =>
  [
    settings,
    ...[...speakers, ...chapters, ...chapters.flatMap((chapter) => chapter.paragraphs)].map((one) => one.settings),
  ]
    .filter((one) => one !== undefined)
    .reduce((sum, one) => sum + JSON.stringify(one).length, 0)

function checkSpeakers(note: Note, { speakers }: Content): void {
  if (speakers.length > MAX_SPEAKERS) note('/speakers', `must NOT have more than ${MAX_SPEAKERS} items`)
  const names = new Set<string>()
  for (const [at, { name, settings }] of speakers.entries()) {
    checkText(note, `/speakers/${at}/name`, name, 1, MAX_SPEAKER_CHARACTERS)
    if (names.has(name)) note(`/speakers/${at}/name`, 'is there twice')
    names.add(name)
    checkSettings(note, `/speakers/${at}/settings`, settings)
  }
}

function checkChapters(note: Note, { chapters, speakers }: Content): void {
  if (chapters.length > MAX_CHAPTERS) note('/chapters', `must NOT have more than ${MAX_CHAPTERS} items`)
  if (paragraphsOf(chapters) > MAX_PARAGRAPHS) note('/chapters', `must NOT have more than ${MAX_PARAGRAPHS} paragraphs`)
  if (charactersOf(chapters) > MAX_CHARACTERS) note('/chapters', `must NOT have more than ${MAX_CHARACTERS} characters`)
  const [names, keys] = [new Set(speakers.map(({ name }) => name)), new Set<string>()]
  const paragraphKeys = new Set<string>()
  for (const [at, chapter] of chapters.entries()) {
    const path = `/chapters/${at}`
    checkKey(note, path, chapter.key, keys)
    checkText(note, `${path}/title`, chapter.title, 0, MAX_NAME_CHARACTERS)
    checkSettings(note, `${path}/settings`, chapter.settings)
    if (chapter.paragraphs.length > MAX_CHAPTER_PARAGRAPHS)
      note(`${path}/paragraphs`, `must NOT have more than ${MAX_CHAPTER_PARAGRAPHS} items`)
    for (const [place, paragraph] of chapter.paragraphs.entries())
      checkParagraph(note, `${path}/paragraphs/${place}`, paragraph, { names, keys: paragraphKeys })
  }
}

function checkParagraph(
  note: Note,
  path: string,
  { key, text, speaker, settings }: Paragraph,
  { names, keys }: { readonly names: ReadonlySet<string>; readonly keys: Set<string> },
): void {
  checkKey(note, path, key, keys)
  if (text.trim() === '' || codePoints(text) > MAX_PARAGRAPH_CHARACTERS)
    note(`${path}/text`, `must have 1 to ${MAX_PARAGRAPH_CHARACTERS} characters, not only white space`)
  if (speaker !== undefined && !names.has(speaker)) note(`${path}/speaker`, 'is none of the speakers')
  checkSettings(note, `${path}/settings`, settings)
}

function checkKey(note: Note, path: string, key: string, keys: Set<string>): void {
  if (!KEY.test(key)) note(`${path}/key`, 'must have 1 to 64 letters, digits, or characters of ._:-')
  else if (keys.has(key)) note(`${path}/key`, 'is there twice')
  keys.add(key)
}

interface Choice {
  readonly path: string
  /** As the settings say or inherit. */
  readonly endpoint: string | undefined
  readonly voice: string | undefined
  readonly isOwn: boolean
}

/** As the settings themselves say. */
const ownChoice = ({ endpoint, voice, isOwn }: Choice): string => JSON.stringify([isOwn ? endpoint : null, voice])

const choiceKey = ({ endpoint, voice, isOwn }: Choice): string => JSON.stringify([endpoint, voice, isOwn])

/** The endpoints and voices that any settings name. */
function* choicesIn({ settings, speakers, chapters }: Content): Generator<Choice, void> {
  const choose = function* (path: string, own: Settings = {}, ...above: (Settings | undefined)[]) {
    if (own.endpoint === undefined && own.voice === undefined) return
    const endpoint = [own, ...above].find((level) => level?.endpoint !== undefined)?.endpoint
    yield { path: `${path}/settings`, endpoint, voice: own.voice, isOwn: own.endpoint !== undefined }
  }
  yield* choose('', settings)
  for (const [at, speaker] of speakers.entries()) yield* choose(`/speakers/${at}`, speaker.settings, settings)
  for (const [at, chapter] of chapters.entries()) {
    yield* choose(`/chapters/${at}`, chapter.settings, settings)
    for (const [place, paragraph] of chapter.paragraphs.entries()) {
      const speaker = speakers.find(({ name }) => name === paragraph.speaker)
      const above = [speaker?.settings, chapter.settings, settings]
      yield* choose(`/chapters/${at}/paragraphs/${place}`, paragraph.settings, ...above)
    }
  }
}

/** The wrong field and why it is wrong; null: none is. */
async function wrongChoice(ctx: Context, { endpoint: slug, voice, isOwn }: Choice): Promise<[string, string] | null> {
  if (slug === undefined) return null
  const endpoint = visibleEndpoint(ctx, slug)
  if (endpoint === null) return isOwn ? ['endpoint', 'unknown endpoint'] : null
  return voice === undefined || (await hasVoice(ctx, endpoint, voice)) ? null : ['voice', 'unknown voice']
}

/** Null for a missing one, and one that the caller may not use. */
export function visibleEndpoint(ctx: Context, slug: string): VoiceEndpoint | null {
  try {
    return requireEndpoint(ctx, slug)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

const hasVoice = async (ctx: Context, endpoint: VoiceEndpoint, voice: string): Promise<boolean> =>
  endpoint.voices.some(({ slug }) => slug === voice) ||
  (await findLibraryVoice(ctx.db, requireAccount(ctx).accountId, endpoint, voice)) !== null
