import { requireConfirmedOperator } from '../../access/require.ts'
import type { AudioThreads } from '../../audio/audio-threads.ts'
import { checkServerKeys } from '../../catalog/engine-keys.ts'
import { parseEndpointFile } from '../../catalog/files/endpoint-file.ts'
import { loadVoice } from '../../catalog/library-voices.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import { EngineError, type EngineVoice } from '../../engines/engine.ts'
import { OWNED_SERVER } from '../../engines/engine-block.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { speakText } from '../speak-text.ts'
import { problemOf } from './server-problem.ts'
import { TRIAL_MS, type TrialContext } from './try-engine.ts'
import { sentenceIn } from './voice-sample.ts'

const MOST_CHARACTERS = 300
const SEED = 1

interface HearingContext extends TrialContext {
  readonly audio: AudioThreads
}

interface HearEngine {
  /** Slug of an endpoint; else `source` is given. */
  readonly slug?: string | null | undefined
  /** Content of an endpoint file; its first endpoint speaks. */
  readonly source?: string | null | undefined
  /** Slug of one of its voices. Absent: the first. */
  readonly voice?: string | null | undefined
  /** Absent: a sentence in the language of the voice. */
  readonly text?: string | null | undefined
}

/** Speech of an engine that may not be configured yet. */
export interface HeardSpeech {
  readonly text: string
  readonly speech: { readonly mp3: Uint8Array; readonly tookMs: number; readonly durationMs: number } | null
  /** Why there is no speech, and what to do. */
  readonly problem: string | null
}

/**
 * Has the engine of an endpoint, or of an endpoint file, speak a sentence from this process, within 20 s. It applies and
 * charges nothing.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST, NOT_FOUND, UNAVAILABLE if too many trials run
 */
export async function hearEngine(ctx: HearingContext, input: HearEngine): Promise<HeardSpeech> {
  requireConfirmedOperator(ctx)
  if ((input.slug == null) === (input.source == null))
    throw invalidRequest('Give either the slug of an endpoint or the content of an endpoint file.')
  const { engine, voice } = input.slug == null ? proposedVoice(ctx, input) : await storedVoice(ctx, input.slug, input)
  if ('base_url' in engine && engine.base_url === OWNED_SERVER)
    throw invalidRequest('Speak with the endpoint: only the worker that owns this server reaches it.')
  const usual = sentenceIn(voice.language ?? null)
  const text = input.text?.trim() || usual.text
  if ([...text].length > MOST_CHARACTERS)
    throw invalidRequest(`Give a sentence of at most ${MOST_CHARACTERS} characters.`, [
      { path: 'text', message: `must have at most ${MOST_CHARACTERS} characters` },
    ])
  return speak(ctx, engine, { text, voice, ...(text === usual.text && { language: usual.language }) })
}

interface Speaker {
  readonly engine: VoiceEndpoint['engine']
  readonly voice: EngineVoice
}

/** @throws NOT_FOUND, INVALID_REQUEST */
async function storedVoice(ctx: HearingContext, slug: string, { voice: wanted }: HearEngine): Promise<Speaker> {
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint === undefined) throw new ServiceError('NOT_FOUND', `No voice endpoint with the slug "${slug}".`)
  const voice = await loadVoice(ctx, endpoint, wanted ?? endpoint.voices[0]?.slug ?? '', null)
  if (voice === null) throw noVoice(wanted)
  return { engine: endpoint.engine, voice }
}

/** @throws INVALID_REQUEST */
function proposedVoice(ctx: HearingContext, { source, voice: wanted }: HearEngine): Speaker {
  const [endpoint] = parseEndpointFile(source ?? '').endpoints
  if (endpoint === undefined) throw invalidRequest('Give a file with an endpoint: a workflow has no voice to hear.')
  checkServerKeys(ctx, endpoint)
  const voice = endpoint.voices.find(({ slug }) => slug === (wanted ?? endpoint.voices[0]?.slug))
  if (voice === undefined) throw noVoice(wanted)
  if (voice.kind === 'reference')
    throw invalidRequest('Apply the endpoint first: a voice of a recording is heard with its recording.')
  const { slug, engine_voice: engineVoice = null, language = null } = voice
  const preset = { slug, kind: 'preset', engineVoice, referenceAudio: null, referenceText: null, language } as const
  return { engine: endpoint.engine, voice: preset }
}

const noVoice = (slug: string | null | undefined): ServiceError =>
  invalidRequest(`Choose one of the voices of the endpoint: it has no "${slug ?? ''}".`)

interface Saying {
  readonly text: string
  readonly voice: EngineVoice
  readonly language?: string
}

async function speak(ctx: HearingContext, engine: Speaker['engine'], saying: Saying): Promise<HeardSpeech> {
  const { text } = saying
  const signal = AbortSignal.timeout(TRIAL_MS)
  return ctx.trialEngines.use(signal, async (engines) => {
    const started = performance.now()
    // A passed deadline turns retries off.
    const request = { ...saying, extra: {}, seed: SEED, signal, deadline: started }
    try {
      const { audio, durationMs } = await engines.use(engine, (one) => speakText(one, request))
      const tookMs = Math.round(performance.now() - started)
      return { text, speech: { mp3: await ctx.audio.encode(audio, 'mp3'), tookMs, durationMs }, problem: null }
    } catch (error) {
      if (!(error instanceof EngineError) && !signal.aborted) throw error
      return { text, speech: null, problem: problemOf(error, engine) }
    }
  })
}
