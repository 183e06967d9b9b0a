import { libraryVoices, usableVoices } from '../catalog/library-voices.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { findModel, reachableModels, requireModel } from '../speech/reach-models.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'

const OPENAI_NAMES = ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts']
const CREATED = 0

const modelEntry = ({ id }: { readonly id: string }) => ({ id, object: 'model', created: CREATED, owned_by: 'sonant' })

/** `GET /v1/models`: the caller's models, OpenAI's usual names included. */
export function listModels(ctx: Context) {
  const models = reachableModels(ctx)
  const taken = new Set(models.map(({ id }) => id))
  const usual = OPENAI_NAMES.filter((id) => !taken.has(id) && findModel(ctx, id) !== undefined).map((id) => ({ id }))
  return { object: 'list', data: [...models, ...usual].map(modelEntry) }
}

/** `GET /v1/models/{id}`. @throws SpeechViolation, 404 */
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
 * @throws SpeechViolation
 */
export async function listVoices(ctx: Context, model: unknown) {
  if (model !== undefined && typeof model !== 'string') throw new SpeechViolation('model', 'Send model once.')
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
  const library = await libraryVoices(ctx)
  const usable = endpoints.flatMap((endpoint) =>
    usableVoices(endpoint, library).map((voice) => voiceEntry(voice, endpoint.slug)),
  )
  const used = new Set(usable.map(({ id }) => id))
  const others = isAll ? library.filter(({ slug }) => !used.has(slug)) : []
  return [...usable, ...others.map((voice) => voiceEntry(voice, null))]
}
