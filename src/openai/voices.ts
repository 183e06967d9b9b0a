import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import { OpenaiViolation } from './openai-error.ts'

/** OpenAI's own: clients send them whatever the service. The order decides which voice each stands for. */
export const OPENAI_VOICES: readonly string[] =
  'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' ')

/**
 * The voice that a client asks for: one of the endpoint's, or one of OpenAI's by the endpoint's file, else always the same one; the first
 * for none. @throws OpenaiViolation
 */
export function requireVoice({ voices, openai }: VoiceEndpoint, asked: unknown): Voice {
  const name = nameOf(asked)
  const find = (slug: string | undefined) => voices.find((voice) => voice.slug === slug)
  const own = name === null ? voices[0] : (find(name) ?? find(openai?.voices?.[name]))
  if (own !== undefined) return own
  const known = OPENAI_VOICES.indexOf(name ?? '')
  const stand = known < 0 ? undefined : voices[known % voices.length]
  if (stand !== undefined) return stand
  const some = voices.slice(0, 20).map(({ slug }) => slug)
  throw new OpenaiViolation('voice', `Unknown voice. Send one of: ${some.join(', ')}.`)
}

/** @throws OpenaiViolation */
function nameOf(asked: unknown): string | null {
  if (asked === undefined || asked === null || asked === '') return null
  if (typeof asked === 'string') return asked
  if (typeof asked === 'object' && 'id' in asked && typeof asked.id === 'string') return asked.id
  throw new OpenaiViolation('voice', 'Send the voice as a string, or as an object with an id.')
}
