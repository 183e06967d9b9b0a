import { myEndpoints } from '../catalog/endpoints.ts'
import { libraryVoices, usableVoices } from '../catalog/library-voices.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { knownLanguage, LANGUAGE_CODES } from '../engines/espeak/detect-language.ts'
import { findModel } from '../speech/reach-models.ts'
import { findSpeaker } from '../speech/speech-request.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'
import { isId } from '../values/id.ts'

const ELEVENLABS_MODEL = /^eleven_[a-z0-9_]+$/i
const [USUAL_PAGE, MAX_PAGE] = [10, 100]
const MAX_ID_CHARACTERS = 100
const MINE: readonly unknown[] = ['personal', 'workspace', 'non-default']

type Query = Readonly<Record<string, unknown>>
type VoiceEntry = ReturnType<typeof voiceEntry>

/** A voice as a request names it. */
interface NamedVoice {
  /** Absent: the usual model. */
  readonly model: string | undefined
  readonly voice: string
}

/**
 * Reads `voice_id` (`slug`, `endpoint:slug` or `voice_…`) and `model_id`; a model of ElevenLabs stands for the usual one.
 * @throws SpeechViolation, the same for an unknown endpoint and a restricted one
 */
export function nameVoice(ctx: Context, voiceId: string, modelId: unknown): NamedVoice {
  if (modelId !== undefined && modelId !== null && typeof modelId !== 'string')
    throw new SpeechViolation('model', 'Send model_id as a string.')
  const model = !modelId || ELEVENLABS_MODEL.test(modelId) ? undefined : modelId
  const [, own, slug] = /^([^:]+):(.+)$/s.exec(voiceId) ?? []
  if (own === undefined || slug === undefined) {
    if (voiceId.trim() === '') throw voiceNotFound(voiceId)
    return { model: model ?? (isId('voice', voiceId) ? homesOf(ctx).own?.slug : undefined), voice: voiceId }
  }
  const endpoint = findModel(ctx, own)
  const isOther = model !== undefined && findModel(ctx, model) !== endpoint
  if (endpoint === undefined || isOther) throw voiceNotFound(voiceId)
  return { model: endpoint.slug, voice: slug }
}

export const voiceNotFound = (voiceId: string): SpeechViolation =>
  new SpeechViolation(
    'voice',
    `A voice with the voice_id ${voiceId.slice(0, MAX_ID_CHARACTERS)} was not found.`,
    'voice_not_found',
    404,
  )

/** `GET /v1/voices/{voice_id}`. @throws SpeechViolation */
export async function showVoice(ctx: Context, voiceId: string): Promise<VoiceEntry> {
  const { model, voice } = nameVoice(ctx, voiceId, null)
  const endpoint = findModel(ctx, model)
  const found = endpoint === undefined ? null : await findSpeaker(ctx, endpoint, voice)
  if (endpoint === undefined || found === null) throw voiceNotFound(voiceId)
  return voiceEntry(homesOf(ctx), found, endpoint)
}

/** `GET /v1/voices`. */
export const listVoices = async (ctx: Context) => ({ voices: await allVoices(ctx) })

/** `GET /v2/voices`, a page of them. @throws SpeechViolation */
export async function pageVoices(ctx: Context, query: Query) {
  const size = Number(query.page_size ?? USUAL_PAGE)
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE)
    throw new SpeechViolation('page_size', `Send a whole number from 1 to ${MAX_PAGE} as page_size.`)
  const all = sorted((await allVoices(ctx)).filter(filterOf(query)), query)
  const { next_page_token: token } = query
  const after = token === undefined || token === '' ? 0 : all.findIndex((voice) => tokenOf(voice) === token) + 1
  if (after === 0 && token !== undefined && token !== '')
    throw new SpeechViolation('next_page_token', 'Send the next_page_token of the page before.')
  const voices = all.slice(after, after + size)
  const hasMore = after + size < all.length
  const last = voices.at(-1)
  return {
    voices,
    has_more: hasMore,
    total_count: all.length,
    next_page_token: hasMore && last !== undefined ? tokenOf(last) : null,
  }
}

const tokenOf = ({ voice_id }: VoiceEntry): string => Buffer.from(voice_id).toString('base64url')

function filterOf({ search, category, voice_type: type, voice_ids: ids }: Query): (voice: VoiceEntry) => boolean {
  const sought = typeof search === 'string' ? search.trim().toLowerCase() : ''
  const named = ids === undefined ? null : new Set([ids].flat().flatMap((one) => String(one).split(',')))
  return (voice) => {
    const words = [voice.name, voice.description, voice.category, ...Object.values(voice.labels)].join('\n')
    return (
      words.toLowerCase().includes(sought) &&
      (category === undefined || voice.category === category) &&
      (named === null || named.has(voice.voice_id)) &&
      (type === undefined || (voice.is_owner ? MINE.includes(type) : type === 'default'))
    )
  }
}

function sorted(voices: readonly VoiceEntry[], { sort, sort_direction: direction }: Query): readonly VoiceEntry[] {
  if (sort !== 'name') return voices
  const sign = direction === 'desc' ? -1 : 1
  return voices.toSorted((one, other) => sign * one.name.localeCompare(other.name, 'en'))
}

/** The usual endpoint's voices by their slugs, then other endpoints', then the library's once. */
async function allVoices(ctx: Context): Promise<VoiceEntry[]> {
  const homes = homesOf(ctx)
  const mine = myEndpoints(ctx)
  const endpoints = [...mine.filter((one) => one === homes.fixed), ...mine.filter((one) => one !== homes.fixed)]
  const fixed = endpoints.flatMap((endpoint) => endpoint.voices.map((voice) => voiceEntry(homes, voice, endpoint)))
  const all = await libraryVoices(ctx)
  const library = new Map<string, VoiceEntry>()
  for (const endpoint of endpoints)
    for (const voice of usableVoices(endpoint, all))
      if (!library.has(voice.slug)) library.set(voice.slug, voiceEntry(homes, voice, endpoint))
  return [...fixed, ...library.values()]
}

/** The endpoint that a voice without one belongs to: the usual one, or for a voice of the account one that speaks like a recording. */
interface Homes {
  readonly fixed: VoiceEndpoint | undefined
  readonly own: VoiceEndpoint | undefined
}

function homesOf(ctx: Context): Homes {
  const fixed = findModel(ctx, undefined)
  const own =
    fixed?.libraryVoices === true ? fixed : myEndpoints(ctx).find(({ libraryVoices }) => libraryVoices === true)
  return { fixed, own }
}

function voiceEntry(homes: Homes, voice: Voice, endpoint: VoiceEndpoint) {
  const isOwn = !endpoint.voices.includes(voice)
  const language = knownLanguage(voice.language)
  const labels: Record<string, string> = {
    model: endpoint.slug,
    ...(language && { language: LANGUAGE_CODES[language] }),
  }
  return {
    voice_id: endpoint === homes[isOwn ? 'own' : 'fixed'] ? voice.slug : `${endpoint.slug}:${voice.slug}`,
    name: voice.name,
    category: isOwn ? 'cloned' : 'premade',
    labels,
    description: voice.description,
    preview_url: null,
    available_for_tiers: [],
    high_quality_base_model_ids: [endpoint.slug],
    verified_languages: language === undefined ? [] : [{ language: LANGUAGE_CODES[language], model_id: endpoint.slug }],
    is_owner: isOwn,
  }
}
