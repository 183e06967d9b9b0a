import { ownerOf } from '../access/actor.ts'
import { findLibraryVoice } from '../catalog/library-voices.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { OpenaiViolation } from './openai-error.ts'

export const OPENAI_VOICES: readonly string[] =
  'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' ')

/**
 * Resolves a client's voice to a value of the endpoint's voice input; absent means the first voice.
 * OpenAI's names map by the endpoint's file, or else to a fixed voice.
 * @throws OpenaiViolation, the same for an unknown voice and another account's
 */
export async function requireVoice(ctx: Context, endpoint: VoiceEndpoint, asked: unknown): Promise<string> {
  const name = nameOf(asked)?.trim() ?? null
  const found = findOwn(endpoint, name) ?? (await findLibraryVoice(ctx.db, ownerOf(ctx.actor) ?? '', endpoint, name))
  if (found !== null) return found.slug
  const { voices } = endpoint
  const known = OPENAI_VOICES.indexOf(name?.toLowerCase() ?? '')
  const stand = known < 0 ? undefined : voices[known % voices.length]
  if (stand !== undefined) return stand.slug
  const some = voices.slice(0, 20).map(({ slug }) => slug)
  throw new OpenaiViolation('voice', `Unknown voice. Send one of: ${some.join(', ')}.`)
}

function findOwn({ voices, openai }: VoiceEndpoint, name: string | null): Voice | null {
  if (name === null) return voices[0] ?? null
  const find = (slug: string | undefined) => voices.find((voice) => voice.slug === slug)
  const lower = name.toLowerCase()
  const [, alias] = Object.entries(openai?.voices ?? {}).find(([alike]) => alike.toLowerCase() === lower) ?? []
  return find(name) ?? find(openai?.voices?.[name]) ?? find(alias) ?? voices.find(isCalled(lower)) ?? null
}

const isCalled =
  (lower: string) =>
  ({ slug }: Voice): boolean =>
    slug.toLowerCase() === lower

/** @throws OpenaiViolation */
function nameOf(asked: unknown): string | null {
  if (asked === undefined || asked === null || asked === '') return null
  if (typeof asked === 'string') return asked
  if (typeof asked === 'object' && 'id' in asked && typeof asked.id === 'string') return asked.id
  throw new OpenaiViolation('voice', 'Send the voice as a string, or as an object with an id.')
}
