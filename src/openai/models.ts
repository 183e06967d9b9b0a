import { requireEndpoint } from '../catalog/endpoints.ts'
import { libraryVoices, usableLibraryVoices } from '../catalog/library-voices.ts'
import { isPublic } from '../catalog/voice-endpoint.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { ServiceError } from '../errors/service-error.ts'
import { withoutAway } from '../worker/served-pools.ts'
import { OpenaiViolation } from './openai-error.ts'

const OPENAI_MODELS = /^(tts-1(-hd)?(-\d{4})?|gpt-4o-mini-tts.*)$/i
const OPENAI_NAMES = ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts']
const USUAL_MODEL = 'tts'
const CREATED = 0

interface Model {
  readonly id: string
  readonly endpoint: VoiceEndpoint
}

/** Every model that the caller may use: endpoint slugs, then aliases from endpoint files. */
function reachableModels(ctx: Context): Model[] {
  const endpoints = [...ctx.catalog.current.endpoints.values()].filter((endpoint) => isReachable(ctx, endpoint))
  const slugs = endpoints.map((endpoint) => ({ id: endpoint.slug, endpoint }))
  const taken = new Set(slugs.map(({ id }) => id))
  const aliases = endpoints.flatMap((endpoint) => (endpoint.openai?.models ?? []).map((id) => ({ id, endpoint })))
  return [...slugs, ...aliases.filter(({ id }) => !taken.has(id) && taken.add(id))]
}

/**
 * Resolves `model`; absent and OpenAI's own names mean the default endpoint.
 * @throws OpenaiViolation, 404, the same for missing and restricted models
 */
function requireModel(ctx: Context, model: string | undefined): VoiceEndpoint {
  const found = findModel(ctx, model)
  if (found !== undefined) return found
  throw new OpenaiViolation(
    'model',
    `The model "${(model ?? '').slice(0, 100)}" does not exist or you do not have access to it.`,
    'model_not_found',
    404,
  )
}

/**
 * If the caller names no model and the default engine is away, picks the first public one that answers and has the voice.
 * @throws OpenaiViolation
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

const modelEntry = ({ id }: Pick<Model, 'id'>) => ({ id, object: 'model', created: CREATED, owned_by: 'sonant' })

/** `GET /v1/models`: the caller's models, OpenAI's usual names included. */
export function listModels(ctx: Context) {
  const models = reachableModels(ctx)
  const taken = new Set(models.map(({ id }) => id))
  const usual = OPENAI_NAMES.filter((id) => !taken.has(id) && findModel(ctx, id) !== undefined).map((id) => ({ id }))
  return { object: 'list', data: [...models, ...usual].map(modelEntry) }
}

/** `GET /v1/models/{id}`. @throws OpenaiViolation, 404 */
export function showModel(ctx: Context, id: string) {
  const found = reachableModels(ctx).find((model) => model.id === id)
  if (found !== undefined) return modelEntry(found)
  requireModel(ctx, id)
  return modelEntry({ id })
}

export const listOpenModels = (ctx: Context) => ({
  models: reachableModels(ctx).map(({ id, endpoint }) => ({ id, name: id === endpoint.slug ? endpoint.name : id })),
})

/**
 * `GET /v1/audio/voices`: the voices of one model or of all, then the caller's own.
 * @throws OpenaiViolation
 */
export async function listVoices(ctx: Context, model: unknown) {
  if (model !== undefined && typeof model !== 'string') throw new OpenaiViolation('model', 'Send model once.')
  const all = reachableModels(ctx).filter(({ id, endpoint }) => id === endpoint.slug)
  const isAll = model === undefined || model === ''
  const endpoints = isAll ? all.map(({ endpoint }) => endpoint) : [requireModel(ctx, model)]
  const fixed = endpoints.flatMap(({ slug, voices }) => voices.map((voice) => voiceEntry(voice, slug)))
  const own = await ownVoices(ctx, endpoints, isAll)
  const voices = [...fixed, ...own]
  return { object: 'list', voices, data: voices }
}

const voiceEntry = ({ slug: id, name, description, kind }: Voice, model: string | null) => ({
  id,
  name,
  description,
  kind,
  model,
})

async function ownVoices(ctx: Context, endpoints: readonly VoiceEndpoint[], isAll: boolean) {
  const lists = await Promise.all(
    endpoints.map(async (endpoint) =>
      (await usableLibraryVoices(ctx, endpoint)).map((voice) => voiceEntry(voice, endpoint.slug)),
    ),
  )
  const usable = lists.flat()
  const used = new Set(usable.map(({ id }) => id))
  const library = isAll ? await libraryVoices(ctx) : []
  return [...usable, ...library.filter(({ slug }) => !used.has(slug)).map((voice) => voiceEntry(voice, null))]
}
