import type { ServiceContext } from '../runtime/services.ts'
import { meaningOf, readSpeechRequest, type SpeechRequest } from '../speech/speech-request.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'
import { type OutputFormat, requireOutputFormat } from './output-format.ts'
import { nameVoice, voiceNotFound } from './voices.ts'

const SEEDS = 2 ** 32
const OWN_SEEDS = 2 ** 31

type Fields = Readonly<Record<string, unknown>>

interface ElevenlabsRequest {
  readonly voiceId: string
  readonly body: Fields
  readonly query: Fields
  readonly idempotencyKey: string | undefined
}

export interface WantedSpeech extends SpeechRequest {
  readonly file: OutputFormat
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
  return readWanted(ctx, { ...request, voiceId }, { ...named, ...mannerOf(body), input: text }, idempotencyKey)
}

/** @param fields by OpenAI's names @throws SpeechViolation, IDEMPOTENCY_MISMATCH */
async function readWanted(
  ctx: ServiceContext,
  { voiceId, query }: Pick<ElevenlabsRequest, 'voiceId' | 'query'>,
  fields: Fields,
  idempotencyKey: string | undefined,
): Promise<WantedSpeech> {
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
