import { copyFile, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { requireConfirmedOperator } from '../access/require.ts'
import { applyConfirmed } from '../catalog/apply-endpoints.ts'
import { RESERVED_SLUGS } from '../catalog/voice-endpoint.ts'
import type { Context } from '../context/context.ts'
import { withLock } from '../db/lock.ts'
import { EngineError } from '../engines/engine.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { syncEntries } from '../values/data-directory.ts'
import { commandLine } from '../values/program.ts'
import { modelsDirOf } from '../voice/trials/trial-engines.ts'
import { bytesIn, download, sha256Of, withRoom } from './download.ts'
import { asDescribed, type DescribedModel, describeFiles, endpointSource, slugOf } from './model-endpoint.ts'
import {
  directoryNamed,
  directoryOf,
  isArchiveName,
  isNamed,
  type KnownFile,
  type KnownModel,
  nearestName,
  readModelIndex,
} from './model-index.ts'
import { type Heard, recordingOf, tryModel } from './try-model.ts'
import { unpack } from './unpack.ts'

const RELEASES = 'https://github.com/k2-fsa/sherpa-onnx/releases/download'
/** Model directories do not begin with a dot. */
export const UNDER_WAY = '.pulling'
const UNPACKED = 'unpacked'
const WEB = /^https?:\/\//i

export interface PullInput {
  /** A name of the index; absent: that of the archive. */
  readonly name?: string | undefined
  /** The archive, a file or an http(s) URL; absent: from the releases, or their mirror. */
  readonly from?: string | undefined
  readonly acceptLicence?: boolean
  readonly signal: AbortSignal
  onProgress?(step: 'download' | 'unpack', done: number, total: number | undefined): void
}

export interface Pulled {
  readonly name: string
  readonly directory: string
  /** Null: the operator gives it a recording to speak like. */
  readonly endpoint: string | null
  readonly isNew: boolean
  readonly sha256: string | null
  /** The file that holds the checksums that this pull pinned. */
  readonly pin: string | null
  /** Null: the library is not installed here. */
  readonly heard: readonly Heard[] | null
  readonly warnings: readonly string[]
}

interface PullContext extends Context {
  readonly hasWorker: boolean
}

interface Wanted {
  readonly known: KnownModel | undefined
  readonly directory: string
  readonly files: readonly (Partial<KnownFile> & { readonly source: string })[]
}

/**
 * Downloads, checks and unpacks a model, has it speak a sentence in each of its languages, and applies its endpoint. Two pulls at once are one.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, NOT_FOUND, INVALID_REQUEST, UNAVAILABLE
 */
export async function pullModel(
  ctx: PullContext,
  input: PullInput,
  index: readonly KnownModel[] = readModelIndex(),
): Promise<Pulled> {
  requireConfirmedOperator(ctx)
  const wanted = want(ctx, input, index)
  checkLicence(wanted.known, input)
  checkPlace(ctx, wanted)
  const models = modelsDirOf(ctx.settings)
  const place = join(models, wanted.directory)
  // A pull that loses the lock must not go on beside another one.
  const lost = new AbortController()
  const signal = AbortSignal.any([input.signal, lost.signal])
  return withLock(ctx.db, `model ${place}`, async () => {
    await ctx.catalog.reload()
    if (await isDirectory(place)) return finish(ctx, wanted, await described(wanted, place), null)
    if (wanted.known !== undefined) checkSlug(ctx, asDescribed(wanted.known))
    const { model, fresh } = await install(ctx, wanted, { models, place, input: { ...input, signal } })
    return finish(ctx, wanted, model, fresh)
  }).finally(() => lost.abort())
}

/** The command line is run where the model belongs; a request reaches any process. */
function checkPlace({ actor, hasWorker }: PullContext, { known, directory }: Wanted): void {
  if (hasWorker || actor.kind === 'system') return
  const command = commandLine(`models pull ${known?.name ?? directory}`)
  throw invalidRequest(`No worker speaks where this process runs: run "${command}" on the machine of each worker.`)
}

interface Place {
  readonly models: string
  readonly place: string
  readonly input: PullInput
}

async function install(ctx: Context, wanted: Wanted, { models, place, input }: Place) {
  const room = join(models, UNDER_WAY, wanted.directory)
  try {
    const { root, sums } = await fetchModel(wanted, { models, room, input })
    const model = await described(wanted, root)
    checkSlug(ctx, model)
    const tried = await tryModel(ctx, { ...model, directory: root }, input.signal)
    await rename(root, place)
    syncEntries(models)
    const pin = await writePin(models, wanted, sums)
    await rm(room, { recursive: true, force: true })
    return { model, fresh: { ...tried, pin, sha256: sums[0]?.sha256 ?? null } }
  } catch (cause) {
    const error = withRoom(cause, models)
    await rm(isWrong(error) ? room : join(room, UNPACKED), { recursive: true, force: true })
    await rmdir(room).catch(() => undefined)
    throw error instanceof EngineError ? invalidRequest(error.message) : error
  }
}

/** The next pull goes on with the part that has come, unless it is wrong. */
const isWrong = (error: unknown): boolean =>
  error instanceof EngineError || (error instanceof ServiceError && error.code === 'INVALID_REQUEST')

function want({ settings }: Context, { name, from }: PullInput, index: readonly KnownModel[]): Wanted {
  const archive = from === undefined ? undefined : archiveOf(from)
  const known =
    name === undefined
      ? index.find((model) => directoryOf(model) === directoryNamed(archive ?? ''))
      : named(name, index)
  if (known === undefined && from !== undefined && archive !== undefined)
    return { known, directory: directoryNamed(archive), files: [{ source: from }] }
  if (known === undefined) throw invalidRequest('Name a model, or give --from an archive.')
  const base = (settings.modelsUrl ?? RELEASES).replace(/\/+$/, '')
  const files = known.files.map((file, at) => {
    if (from === undefined) return { ...file, source: `${base}/${file.path}` }
    return { ...file, source: at === 0 ? from : besides(from, basename(file.path)) }
  })
  return { known, directory: directoryOf(known), files }
}

/** The name of the archive. */
function archiveOf(from: string): string {
  const url = WEB.test(from) && URL.canParse(from) ? new URL(from) : null
  if (url !== null && url.username + url.password !== '')
    throw invalidRequest('Give --from an address without a user and a password.')
  const name = basename(url?.pathname ?? from)
  if (isArchiveName(name)) return checkName(name)
  throw invalidRequest(`Give --from a .tar.bz2, as the releases of sherpa-onnx have them: "${from}" is none.`)
}

/** Its endpoint is called like the archive. */
function checkName(archive: string): string {
  const slug = slugOf(directoryNamed(archive))
  if (slug !== '' && !RESERVED_SLUGS.includes(slug)) return archive
  throw invalidRequest(`No endpoint can be called like "${archive}": give the archive another name.`)
}

function named(name: string, index: readonly KnownModel[]): KnownModel {
  const known = index.find(isNamed(name))
  if (known !== undefined) return known
  const nearest = nearestName(
    name,
    index.map((model) => model.name),
  )
  throw new ServiceError(
    'NOT_FOUND',
    `No model is called "${name}"${nearest === undefined ? '' : `: did you mean "${nearest}"?`}`,
  )
}

const besides = (from: string, file: string): string =>
  WEB.test(from) ? new URL(file, from).href : join(dirname(from), file)

function checkLicence(known: KnownModel | undefined, { acceptLicence }: PullInput): void {
  const restriction = known?.licence.restriction
  if (known === undefined || restriction === undefined || acceptLicence === true) return
  const { name, licence } = known
  throw invalidRequest(
    `The licence of "${name}" (${licence.name}, ${licence.url}) is restricted. ${restriction} If you may use it, pull it with --accept-licence.`,
  )
}

/** An operator may have an endpoint of that name. */
function checkSlug({ catalog }: Context, { name, directory }: DescribedModel): void {
  const taken = catalog.current.endpoints.get(name)
  if (taken === undefined || taken.engine.model_dir === directory) return
  throw invalidRequest(
    `The endpoint "${name}" is there already, with another engine: delete it first, with endpoints delete ${name}.`,
  )
}

const described = async ({ known, directory }: Wanted, folder: string): Promise<DescribedModel> =>
  known === undefined ? describeFiles(folder, directory) : asDescribed(known)

interface Sum {
  readonly file: string
  readonly sha256: string
  readonly isPinned: boolean
}

interface Room {
  readonly models: string
  readonly room: string
  readonly input: PullInput
}

/** Returns the unpacked model, not in its place yet, and the checksums of its files. */
async function fetchModel({ directory, files }: Wanted, { models, room, input }: Room) {
  await mkdir(room, { recursive: true })
  const unpacked = join(room, UNPACKED)
  await rm(unpacked, { recursive: true, force: true })
  await mkdir(unpacked)
  const sums: Sum[] = []
  const paths: string[] = []
  const pins = await readPins(models, directory)
  for (const file of files) {
    const path = await fetchFile(file, room, input)
    const name = basename(path)
    const sha256 = await sha256Of(path, input.signal)
    if (file.sha256 !== undefined) checkSum(name, sha256, file.sha256)
    else checkPin(name, sha256, { expected: pins.get(name), pin: pinOf(models, directory) })
    sums.push({ file: name, sha256, isPinned: file.sha256 === undefined })
    paths.push(path)
  }
  const [archive = '', ...others] = paths
  const progress = (read: number, total: number) => input.onProgress?.('unpack', read, total)
  await unpack({ archive, directory: unpacked, signal: input.signal, onBytes: progress })
  const root = await rootOf(unpacked)
  for (const path of others) await copyFile(path, join(root, basename(path)))
  return { root, sums }
}

async function fetchFile(
  file: Wanted['files'][number],
  room: string,
  { signal, onProgress }: PullInput,
): Promise<string> {
  const { source, sha256, size_bytes: bytes } = file
  if (!WEB.test(source)) {
    if ((await bytesIn(source)) > 0 && !(await isDirectory(source))) return source
    throw invalidRequest(`The file "${source}" cannot be read, or is empty.`)
  }
  const path = join(room, basename(new URL(source).pathname))
  const onBytes = (received: number, total: number | undefined) => onProgress?.('download', received, total)
  // A size without a checksum is the publisher's last one, which the next release may change.
  await download({ url: source, path, sizeBytes: sha256 === undefined ? undefined : bytes, signal, onBytes })
  return path
}

interface Pin {
  readonly expected: string | undefined
  readonly pin: string
}

function checkPin(name: string, sha256: string, { expected, pin }: Pin): void {
  if (expected === undefined || expected === sha256) return
  throw invalidRequest(
    `${name} has the SHA-256 ${sha256} instead of ${expected}, which the first pull kept in ${pin}: it is damaged, or its publisher has replaced it. Nothing was installed. To take the new one, delete that file and pull again.`,
  )
}

function checkSum(name: string, sha256: string, expected: string): void {
  if (expected === sha256) return
  throw invalidRequest(
    `${name} has the SHA-256 ${sha256} instead of ${expected}: it is damaged, or its publisher has replaced it. Nothing was installed.`,
  )
}

/** Archives of the releases hold one directory. */
async function rootOf(unpacked: string): Promise<string> {
  const [only, ...more] = await readdir(unpacked, { withFileTypes: true })
  return only?.isDirectory() === true && more.length === 0 ? join(unpacked, only.name) : unpacked
}

const pinOf = (models: string, directory: string): string => join(models, `${directory}.sha256`)

async function readPins(models: string, directory: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(pinOf(models, directory), 'utf8').catch(() => '')
  return new Map([...text.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, sum = '', file = '']) => [file, sum]))
}

/** As `sha256sum` writes it. Returns null if all checksums were known. */
async function writePin(models: string, { directory }: Wanted, sums: readonly Sum[]): Promise<string | null> {
  const pinned = sums.filter(({ isPinned }) => isPinned)
  if (pinned.length === 0) return null
  const path = pinOf(models, directory)
  await writeFile(path, pinned.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join(''))
  return path
}

type Tried = Awaited<ReturnType<typeof tryModel>>

async function finish(
  ctx: Context,
  { known }: Wanted,
  model: DescribedModel,
  fresh: (Tried & Pick<Pulled, 'pin' | 'sha256'>) | null,
): Promise<Pulled> {
  const place = join(modelsDirOf(ctx.settings), model.directory)
  const name = known?.name ?? model.directory
  const base = { name, directory: place, isNew: fresh !== null, sha256: fresh?.sha256 ?? null, pin: fresh?.pin ?? null }
  const there = [...ctx.catalog.current.endpoints.values()].find(({ engine }) => engine.model_dir === model.directory)
  if (there !== undefined)
    return { ...base, endpoint: there.slug, heard: fresh?.heard ?? null, warnings: fresh?.warnings ?? [] }
  const tried = fresh ?? (await tryModel(ctx, { ...model, directory: place }, AbortSignal.timeout(TRIAL_MS)))
  const { voices, heard, warnings } = tried
  if (voices.length === 0) return { ...base, endpoint: null, heard, warnings }
  checkSlug(ctx, model)
  await applyConfirmed(ctx, {
    source: endpointSource(model, voices),
    readAudio: (path) => recordingOf(join(place, path)),
  })
  return { ...base, endpoint: model.name, heard, warnings }
}

const TRIAL_MS = 300_000

export const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
