import { loadVoice } from '../../catalog/voices/load-voice.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Context } from '../../context/context.ts'
import { EngineError, type SpeechEngine } from '../../engines/engine.ts'
import type { Engines } from '../../engines/engines.ts'
import { OWNED_SERVER } from '../../engines/owned-server.ts'
import { speakText } from '../speak-text.ts'
import { checkOwnedServer } from './check-owned-server.ts'

const SAMPLE_TEXT = 'This is a test.'

/** `offered` counts the engine's voices (null: it lists none); `missing` are the endpoint's voices that it lacks. */
export interface EngineCheck {
  readonly endpoint: string
  readonly kind: string
  /** Null for an engine in this process; `worker` for a server that only workers reach. */
  readonly server: string | null
  readonly offered: number | null
  readonly missing: readonly string[]
  readonly speech: { readonly tookMs: number; readonly durationMs: number } | null
  readonly error: string | null
}

export const isSound = ({ error, missing }: EngineCheck): boolean => error === null && missing.length === 0

/** Lists an engine's voices and speaks one sentence; the result reports failures. */
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
  // A passed deadline turns retries off.
  const request = { text: SAMPLE_TEXT, language: 'English', voice, extra: {}, seed: 1, signal, deadline: started }
  const { durationMs } = await speakText(engine, request)
  return { tookMs: Math.round(performance.now() - started), durationMs }
}

function missingVoices(endpoint: VoiceEndpoint, offered: readonly string[] | null): string[] {
  if (offered === null) return []
  const known = new Set(offered.map(plainName))
  const named = endpoint.voices.flatMap(({ engineVoice }) => (engineVoice === null ? [] : [engineVoice]))
  // Kokoro mixes voices such as "af_bella+af_sky", each with a weight in parentheses.
  return named.filter((name) => name.split('+').some((part) => !known.has(plainName(part.replace(/\(.*\)$/, '')))))
}

const plainName = (name: string): string => name.normalize('NFC').toLowerCase()

const reasonOf = (error: unknown): string =>
  error instanceof EngineError
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error)
