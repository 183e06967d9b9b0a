import type { Context } from '../context/context.ts'
import { type Model, reachableModels, requireModel } from './models.ts'
import { OpenaiViolation } from './openai-error.ts'

/** OpenAI says when a model was made; these are made by their operator, at no time that matters. */
const CREATED = 0

const modelEntry = ({ id }: Model) => ({ id, object: 'model', created: CREATED, owned_by: 'sonant' })

/** `GET /v1/models`: what the caller may use. */
export const listModels = (ctx: Context) => ({ object: 'list', data: reachableModels(ctx).map(modelEntry) })

/** `GET /v1/models/{id}`. @throws OpenaiViolation, 404 */
export function showModel(ctx: Context, id: string) {
  const found = reachableModels(ctx).find((model) => model.id === id)
  if (found !== undefined) return modelEntry(found)
  // The usual names work as models, so they are there.
  return modelEntry({ id, endpoint: requireModel(ctx, id) })
}

/** `GET /v1/audio/models`: as Open WebUI asks for them. */
export const listOpenModels = (ctx: Context) => ({
  models: reachableModels(ctx).map(({ id, endpoint }) => ({ id, name: id === endpoint.slug ? endpoint.name : id })),
})

/** `GET /v1/audio/voices`: of one model, or of all that the caller may use. Each voice once for a model. @throws OpenaiViolation */
export function listVoices(ctx: Context, model: unknown) {
  if (model !== undefined && typeof model !== 'string') throw new OpenaiViolation('model', 'Send model once.')
  const all = reachableModels(ctx).filter(({ id, endpoint }) => id === endpoint.slug)
  const endpoints =
    model === undefined || model === '' ? all.map(({ endpoint }) => endpoint) : [requireModel(ctx, model)]
  const voices = endpoints.flatMap(({ slug, voices }) =>
    voices.map(({ slug: id, name, description, kind }) => ({ id, name, description, kind, model: slug })),
  )
  return { object: 'list', voices, data: voices }
}
