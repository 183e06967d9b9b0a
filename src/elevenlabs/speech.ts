import { codePoints } from '../catalog/voice-endpoint.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { findModel, requireModel } from '../speech/reach-models.ts'
import { findSpeakers, meaningOf, readSpeechRequest, type SpeechRequest } from '../speech/speech-request.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'
import { type DialogueTurn, dialogueScript } from '../voice/markup/dialogue-script.ts'
import { type SentText, sentText } from './alignment.ts'
import { type OutputFormat, requireOutputFormat } from './output-format.ts'
import { nameVoice, voiceNotFound } from './voices.ts'

const SEEDS = 2 ** 32
const OWN_SEEDS = 2 ** 31

type Fields = Readonly<Record<string, unknown>>

export interface ElevenlabsRequest {
  readonly voiceId: string
  readonly body: Fields
  readonly query: Fields
  readonly idempotencyKey: string | undefined
}

export interface WantedSpeech extends SpeechRequest {
  readonly file: OutputFormat
  readonly sent: SentText
}

/**
 * Reads a request of `/text-to-speech`. `optimize_streaming_latency`, `enable_logging`, `previous_text` and their kin change nothing.
 * @throws SpeechViolation, IDEMPOTENCY_MISMATCH
 */
export async function readElevenlabsRequest(ctx: ServiceContext, request: ElevenlabsRequest): Promise<WantedSpeech> {
  const { voiceId, body, idempotencyKey } = request
  const { text } = body
  if (typeof text !== 'string') throw new SpeechViolation('input', 'Send the text to speak as text.')
  const named = nameVoice(ctx, voiceId, body.model_id)
  const fields = { ...named, ...mannerOf(body), input: text }
  return { ...(await readWanted(ctx, { ...request, voiceId }, fields, idempotencyKey)), sent: sentText(text) }
}

/**
 * Reads a request of `/text-to-dialogue`: one job whose text names the voice of each turn. All voices are of one endpoint.
 * @throws SpeechViolation, IDEMPOTENCY_MISMATCH
 */
export async function readDialogue(ctx: ServiceContext, request: ElevenlabsRequest): Promise<WantedSpeech> {
  const { body, idempotencyKey } = request
  const turns = turnsOf(body.inputs)
  const { endpoint, voices } = await findVoices(ctx, [...new Set(turns.map(({ voiceId }) => voiceId))], body.model_id)
  const spoken: DialogueTurn[] = turns.map(({ voiceId, text }) => ({ voice: voices.get(voiceId) as string, text }))
  const { ssml, places } = dialogueScript(spoken)
  const fields = { ...mannerOf(body), model: endpoint.slug, voice: spoken[0]?.voice, input: ssml, markup: 'ssml' }
  const wanted = await readWanted(ctx, request, fields, idempotencyKey)
  const fieldOf: WantedSpeech['fieldOf'] = (detail) => wanted.fieldOf(detail).replace(/^input$/, 'inputs')
  const sent = sentTurns(turns, places)
  return { ...wanted, fieldOf, sent, characters: sent.characters.length }
}

function sentTurns(turns: ReturnType<typeof turnsOf>, places: readonly number[]): SentText {
  let end = 0
  const ended = turns.map(({ text, voiceId }) => {
    end += codePoints(text)
    return { voiceId, end }
  })
  const characters = [...turns.map(({ text }) => text).join('')]
  return { characters, placeOf: (at) => places[at] ?? characters.length, turns: ended }
}

/** The one endpoint of these voices, and its slug of each. @throws SpeechViolation */
async function findVoices(ctx: ServiceContext, voiceIds: readonly string[], modelId: unknown) {
  const named = voiceIds.map((voiceId) => ({ voiceId, ...nameVoice(ctx, voiceId, modelId) }))
  const endpoint = requireModel(ctx, named.find(({ model }) => model !== undefined)?.model)
  const names = named.map(({ voice }) => voice)
  const found = await findSpeakers(ctx, endpoint, names)
  const voices = named.map(({ voiceId, model }, index) => {
    const isElsewhere = model !== undefined && findModel(ctx, model) !== endpoint
    const voice = isElsewhere ? null : found[index]
    if (voice == null) throw voiceNotFound(voiceId)
    return [voiceId, voice.slug] as const
  })
  return { endpoint, voices: new Map(voices) }
}

/** @throws SpeechViolation */
function turnsOf(inputs: unknown): { readonly text: string; readonly voiceId: string }[] {
  const wrong = new SpeechViolation('inputs', 'Send inputs as a list of turns, each with a text and a voice_id.')
  if (!Array.isArray(inputs) || inputs.length === 0) throw wrong
  return inputs.map((turn: Fields | null) => {
    const { text, voice_id: voiceId } = turn ?? {}
    if (typeof text !== 'string' || text.trim() === '' || typeof voiceId !== 'string') throw wrong
    return { text, voiceId }
  })
}

/** @param fields by OpenAI's names @throws SpeechViolation, IDEMPOTENCY_MISMATCH */
async function readWanted(
  ctx: ServiceContext,
  { voiceId, query }: Pick<ElevenlabsRequest, 'voiceId' | 'query'>,
  fields: Fields,
  idempotencyKey: string | undefined,
): Promise<Omit<WantedSpeech, 'sent'>> {
  const deliveryOf = () => ({ file: requireOutputFormat(query.output_format) })
  try {
    return await readSpeechRequest(ctx, fields, idempotencyKey, { standIns: [], deliveryOf })
  } catch (error) {
    throw error instanceof SpeechViolation && error.field === 'voice' ? voiceNotFound(voiceId) : error
  }
}

/** The fields about how a text is spoken, by OpenAI's names. @throws SpeechViolation */
function mannerOf({ voice_settings: settings, seed, language_code: code, ...rest }: Fields): Fields {
  if (settings !== undefined && settings !== null && (typeof settings !== 'object' || Array.isArray(settings)))
    throw new SpeechViolation('voice_settings', 'Send voice_settings as an object.')
  return {
    speed: (settings as Fields | null | undefined)?.speed,
    seed: seedOf(seed),
    language: languageOf(code),
    apply_text_normalization: rest.apply_text_normalization,
  }
}

/** ElevenLabs takes twice as many seeds. */
const seedOf = (seed: unknown): unknown =>
  typeof seed === 'number' && Number.isInteger(seed) && seed >= OWN_SEEDS && seed < SEEDS ? seed % OWN_SEEDS : seed

function languageOf(code: unknown): string | undefined {
  if (code === undefined || code === null || code === '') return undefined
  if (typeof code === 'string' && meaningOf(code) !== null) return code
  throw new SpeechViolation('language', 'Send a language_code of ISO 639-1 that the models list.')
}
