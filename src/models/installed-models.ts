import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { requireConfirmedOperator, requireOperator } from '../access/require.ts'
import { deleteEndpoint } from '../catalog/change-catalog.ts'
import type { Context } from '../context/context.ts'
import { withLock } from '../db/lock.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { modelsDirOf } from '../voice/trials/trial-engines.ts'
import { bytesIn } from './download.ts'
import { slugOf } from './model-endpoint.ts'
import { directoryOf, isNamed, type KnownModel, nearestName, readModelIndex, sizeOf } from './model-index.ts'
import { isDirectory, UNDER_WAY } from './pull-model.ts'

export interface ListedModel {
  readonly name: string
  readonly languages: readonly string[]
  readonly voices: readonly string[]
  /** Null: the index does not know the model. */
  readonly licence: KnownModel['licence'] | null
  readonly quality: string | null
  readonly speed: string | null
  /** It has no voices of its own, and speaks like the recordings that it is given. */
  readonly needsRecording: boolean
  readonly sizeBytes: number | null
  /** Bytes of all files that a pull has brought so far; 0 once the model is installed. */
  readonly downloadedBytes: number
  readonly isInstalled: boolean
}

const UNKNOWN = {
  ...{ languages: [], voices: [], licence: null, quality: null, speed: null, sizeBytes: null },
  ...{ needsRecording: false, downloadedBytes: 0, isInstalled: true },
}

/** Lists the models of the index, and those that are installed besides. @throws UNAUTHORIZED, FORBIDDEN */
export async function models(ctx: Context): Promise<readonly ListedModel[]> {
  requireOperator(ctx)
  const folder = modelsDirOf(ctx.settings)
  const here = new Set(await directoriesOf(folder))
  const index = readModelIndex()
  const underWay = new Map(
    await Promise.all(index.map(async (model) => [model, await pulledBytes(folder, model)] as const)),
  )
  const known = index.map((model) => ({
    name: model.name,
    languages: model.languages,
    voices: model.voices.map(({ slug }) => slug),
    licence: model.licence,
    quality: model.quality,
    speed: model.speed ?? null,
    needsRecording: model.voices.length === 0,
    sizeBytes: sizeOf(model),
    downloadedBytes: underWay.get(model) ?? 0,
    isInstalled: here.has(directoryOf(model)),
  }))
  const listed = new Set(index.map(directoryOf))
  const others = [...here].filter((directory) => !listed.has(directory)).sort()
  return [...known, ...others.map((name) => ({ name, ...UNKNOWN }))]
}

const directoriesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => [])).flatMap((entry) =>
    entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : [],
  )

async function pulledBytes(folder: string, model: KnownModel): Promise<number> {
  const room = join(folder, UNDER_WAY, directoryOf(model))
  const sizes = await Promise.all(model.files.map(({ path }) => bytesIn(join(room, basename(path)))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

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
