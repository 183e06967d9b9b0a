import { loadVoice } from '../../catalog/voices/load-voice.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Context } from '../../context/context.ts'
import { EngineError, type SpeechEngine } from '../../engines/engine.ts'
import type { Engines } from '../../engines/engines.ts'
import { OWNED_SERVER } from '../../engines/owned-server.ts'
import { speakText } from '../speak-text.ts'
import { checkOwnedServer } from './check-owned-server.ts'

const SAMPLE_TEXT = 'This is a test.'

/** What an endpoint's engine did with one sentence, and whether it knows the voices that the endpoint names. */
export interface EngineCheck {
  readonly endpoint: string
  readonly kind: string
  /** Null for an engine that is part of this process; `worker` for the workers' own: whether one is ready is all that is known of them here. */
  readonly server: string | null
  /** How many voices the engine lists; null where it lists none. */
  readonly offered: number | null
  /** Engine voices of the endpoint that are not among them. */
  readonly missing: readonly string[]
  /** Null where it failed, or was not asked. */
  readonly speech: { readonly tookMs: number; readonly durationMs: number } | null
  /** Why, in the operator's words. */
  readonly error: string | null
}

/** Whether an engine did what it should, and knows all voices that are named. */
export const isSound = ({ error, missing }: EngineCheck): boolean => error === null && missing.length === 0

/** Has an endpoint's engine list its voices and speak one sentence, once, with the endpoint's first voice. What fails is in the answer. */
export async function tryEngine(
  ctx: Context,
  engines: Engines,
  endpoint: VoiceEndpoint,
  signal: AbortSignal,
): Promise<EngineCheck> {
  const { kind, base_url: server } = endpoint.engine
  const found = { endpoint: endpoint.slug, kind, server: typeof server === 'string' ? server : null }
  const silent = { ...found, offered: null, missing: [], speech: null }
  if (server === OWNED_SERVER) return { ...silent, error: await checkOwnedServer(ctx, endpoint) }
  try {
    return await engines.use(endpoint.engine, async (engine) => {
      const offered = await engine.voices(signal)
      const listed = { ...found, offered: offered?.length ?? null, missing: missingVoices(endpoint, offered) }
      return speakSample(ctx, engine, endpoint, signal).then(
        (speech) => ({ ...listed, speech, error: null }),
        (error: unknown) => ({ ...listed, speech: null, error: reasonOf(error) }),
      )
    })
  } catch (error) {
    return { ...silent, error: reasonOf(error) }
  }
}

async function speakSample(ctx: Context, engine: SpeechEngine, endpoint: VoiceEndpoint, signal: AbortSignal) {
  const voice = await loadVoice(ctx, endpoint, endpoint.voices[0]?.slug ?? '', null)
  if (voice === null) throw new EngineError('RENDER_FAILED', 'The endpoint has no voices.')
  const started = performance.now()
  // A deadline that has passed: what fails once is reported at once, not tried again.
  const request = { text: SAMPLE_TEXT, language: 'English', voice, extra: {}, seed: 1, signal, deadline: started }
  const { durationMs } = await speakText(engine, request)
  return { tookMs: Math.round(performance.now() - started), durationMs }
}

/** Servers differ in how they write names: only a name that differs by more than its case is missing. */
function missingVoices(endpoint: VoiceEndpoint, offered: readonly string[] | null): string[] {
  if (offered === null) return []
  const known = new Set(offered.map(plainName))
  const named = endpoint.voices.flatMap(({ engineVoice }) => (engineVoice === null ? [] : [engineVoice]))
  // Kokoro mixes voices: "af_bella+af_sky", each with a weight in parentheses.
  return named.filter((name) => name.split('+').some((part) => !known.has(plainName(part.replace(/\(.*\)$/, '')))))
}

const plainName = (name: string): string => name.normalize('NFC').toLowerCase()

const reasonOf = (error: unknown): string =>
  error instanceof EngineError
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error)
