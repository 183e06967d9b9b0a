import { requireEndpoint } from '../catalog/endpoints.ts'
import { isPublic } from '../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { ServiceError } from '../errors/service-error.ts'
import { withoutAway } from '../worker/served-pools.ts'
import { SpeechViolation } from './speech-violation.ts'

const OPENAI_MODELS = /^(tts-1(-hd)?(-\d{4})?|gpt-4o-mini-tts.*)$/i
const USUAL_MODEL = 'tts'

interface Model {
  readonly id: string
  readonly endpoint: VoiceEndpoint
}

/** Every model that the caller may use: endpoint slugs, then aliases from endpoint files. */
export function reachableModels(ctx: Context): Model[] {
  const endpoints = [...ctx.catalog.current.endpoints.values()].filter((endpoint) => isReachable(ctx, endpoint))
  const slugs = endpoints.map((endpoint) => ({ id: endpoint.slug, endpoint }))
  const taken = new Set(slugs.map(({ id }) => id))
  const aliases = endpoints.flatMap((endpoint) => (endpoint.openai?.models ?? []).map((id) => ({ id, endpoint })))
  return [...slugs, ...aliases.filter(({ id }) => !taken.has(id) && taken.add(id))]
}

/**
 * Resolves `model`; absent and OpenAI's own names mean the default endpoint.
 * @throws SpeechViolation, 404, the same for missing and restricted models
 */
export function requireModel(ctx: Context, model: string | undefined): VoiceEndpoint {
  const found = findModel(ctx, model)
  if (found !== undefined) return found
  throw new SpeechViolation(
    'model',
    `The model "${(model ?? '').slice(0, 100)}" does not exist or you do not have access to it.`,
    'model_not_found',
    404,
  )
}

/**
 * If the caller names no model and the default engine is away, picks the first public one that answers and has the voice.
 * @throws SpeechViolation
 */
export async function requireSpeaker(
  ctx: Context,
  model: string | undefined,
  hasVoice: (endpoint: VoiceEndpoint) => Promise<boolean>,
): Promise<VoiceEndpoint> {
  const usual = requireModel(ctx, model)
  if (findNamed(reachableModels(ctx), model) !== undefined) return usual
  const others = ctx.catalog.current.open.filter((endpoint) => endpoint !== usual)
  const answering = others.length === 0 ? [] : await withoutAway(ctx, [usual, ...others])
  if (answering.includes(usual)) return usual
  for (const endpoint of answering) if (await hasVoice(endpoint)) return endpoint
  return usual
}

export function findModel(ctx: Context, model: string | undefined): VoiceEndpoint | undefined {
  const models = reachableModels(ctx)
  const find = (id: string | null) => findNamed(models, id)
  return (
    findNamed(models, model) ?? (model === undefined || OPENAI_MODELS.test(model) ? usualModel(ctx, find) : undefined)
  )
}

const findNamed = (models: readonly Model[], id: string | null | undefined): VoiceEndpoint | undefined =>
  (models.find((one) => one.id === id) ?? models.find((one) => one.id.toLowerCase() === id?.toLowerCase()))?.endpoint

function usualModel(ctx: Context, find: (id: string | null) => VoiceEndpoint | undefined): VoiceEndpoint | undefined {
  const open = ctx.catalog.current.open
  return find(ctx.settings.openai.model) ?? find(USUAL_MODEL) ?? (open.length === 1 ? open[0] : undefined)
}

function isReachable(ctx: Context, endpoint: VoiceEndpoint): boolean {
  if (ctx.actor.kind === 'anonymous') return isPublic(endpoint)
  try {
    return requireEndpoint(ctx, endpoint.slug) === endpoint
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return false
    throw error
  }
}
