import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { requireConfirmedOperator, requireOperator } from '../access/require.ts'
import { deleteEndpoint } from '../catalog/change-catalog.ts'
import type { Context } from '../context/context.ts'
import { withLock } from '../db/lock.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { modelsDirOf } from '../voice/trials/trial-engines.ts'
import { slugOf } from './model-endpoint.ts'
import { directoryOf, isNamed, type KnownModel, nearestName, readModelIndex, sizeOf } from './model-index.ts'
import { isDirectory } from './pull-model.ts'

export interface ListedModel {
  readonly name: string
  readonly languages: readonly string[]
  readonly voices: readonly string[]
  /** Null: the index does not know the model. */
  readonly licence: KnownModel['licence'] | null
  readonly quality: string | null
  readonly sizeBytes: number | null
  readonly isInstalled: boolean
}

/** Lists the models of the index, and those that are installed besides. @throws UNAUTHORIZED, FORBIDDEN */
export async function models(ctx: Context): Promise<readonly ListedModel[]> {
  requireOperator(ctx)
  const here = new Set(await directoriesOf(modelsDirOf(ctx.settings)))
  const index = readModelIndex()
  const known = index.map((model) => ({
    name: model.name,
    languages: model.languages,
    voices: model.voices.map(({ slug }) => slug),
    licence: model.licence,
    quality: model.quality,
    sizeBytes: sizeOf(model),
    isInstalled: here.has(directoryOf(model)),
  }))
  const listed = new Set(index.map(directoryOf))
  const others = [...here].filter((directory) => !listed.has(directory)).sort()
  const unknown = { languages: [], voices: [], licence: null, quality: null, sizeBytes: null, isInstalled: true }
  return [...known, ...others.map((name) => ({ name, ...unknown }))]
}

const directoriesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => [])).flatMap((entry) =>
    entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : [],
  )

/**
 * Deletes a model and the endpoint that its pull wrote.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, NOT_FOUND, INVALID_REQUEST if another endpoint speaks with it
 */
export async function removeModel(ctx: Context, { name }: { readonly name: string }) {
  requireConfirmedOperator(ctx)
  const folder = modelsDirOf(ctx.settings)
  const index = readModelIndex()
  const known = index.find(isNamed(name))
  const directory = known === undefined ? name : directoryOf(known)
  const here = await directoriesOf(folder)
  if (!here.includes(directory)) throw notInstalled(name, here, index)
  const place = join(folder, directory)
  return withLock(ctx.db, `model ${place}`, async () => {
    const users = [...ctx.catalog.current.endpoints.values()].filter(({ engine }) => engine.model_dir === directory)
    const foreign = users.filter(({ slug }) => slug !== known?.name && slug !== slugOf(directory))
    if (foreign.length > 0) {
      const slugs = foreign.map(({ slug }) => `"${slug}"`).join(', ')
      throw invalidRequest(
        `The model "${name}" is used by ${slugs}: delete that endpoint, or give it another model, first.`,
      )
    }
    for (const { slug } of users) await deleteEndpoint(ctx, { slug })
    if (await isDirectory(place)) await rm(place, { recursive: true })
    return { name, directory: place, endpoints: users.map(({ slug }) => slug) }
  })
}

function notInstalled(name: string, here: readonly string[], index: readonly KnownModel[]): ServiceError {
  const names = here.map((directory) => index.find((model) => directoryOf(model) === directory)?.name ?? directory)
  const nearest = nearestName(name, names)
  const hint = nearest === undefined ? 'none is.' : `did you mean "${nearest}"?`
  return new ServiceError('NOT_FOUND', `No model called "${name}" is installed here: ${hint}`)
}
