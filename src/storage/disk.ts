import { randomBytes, randomUUID } from 'node:crypto'
import { constants, readdirSync, rmSync, statSync } from 'node:fs'
import { access, type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { StoreDown, type StoreFault } from '../errors/outages.ts'
import { errorCode, makeWithParents, usingSync } from '../values/data-directory.ts'
import { isStorageKey, signMediaUrl, type UrlSigner } from './sign-url.ts'
import { type ByteRange, SMALL_FILE_BYTES, type Storage, type Stored, type StoredFile } from './storage.ts'
import { syncDirectory, writeDurably, writeNew } from './write-durably.ts'

/** No key can name it. Inside `dir` the rename out of it is atomic. */
const INCOMING = '.incoming'
const DIRECTORY_MODE = 0o700
const ABANDONED_AFTER_MS = 3_600_000
const PLACE_ATTEMPTS = 100

const FAULTS: Readonly<Record<string, StoreFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  EACCES: 'away',
  EPERM: 'away',
  EIO: 'away',
  EMFILE: 'away',
  ENFILE: 'away',
  ESTALE: 'away',
  ENODEV: 'away',
  ENXIO: 'away',
  ENOTCONN: 'away',
  EHOSTDOWN: 'away',
  ETIMEDOUT: 'away',
}

interface Place {
  readonly dir: string
  readonly incoming: string
  /** Another device number means that the mount is missing. */
  readonly device: number
}

interface DiskOptions extends UrlSigner {
  readonly dir: string
}

/** Artifacts as files under one directory, served by `GET /media/*`. */
export function openDisk({ dir, ...signer }: DiskOptions): Storage {
  const incoming = join(dir, INCOMING)
  usingSync(dir, () => {
    makeWithParents(incoming, DIRECTORY_MODE)
    removeAbandoned(incoming)
  })
  const place: Place = { dir, incoming, device: statSync(dir).dev }
  return {
    put: (key, content, { isBrief = false }) =>
      tellingFaults(() => putFile(place, key, content, !isBrief)).finally(
        () => content instanceof Readable && content.destroy(),
      ),
    stat: (key) => tellingFaults(async () => (await statFile(pathOf(dir, key))) ?? missingIn(place)),
    read: (key, range) => tellingFaults(() => openStream(place, pathOf(dir, key), range)),
    signUrl: (key, { contentType, now }) => signMediaUrl(signer, { key, contentType, now }),
    delete: (key) => tellingFaults(() => deleteFile(place, pathOf(dir, key))),
    deleteBelow: (folder) => tellingFaults(() => deleteFolder(place, pathOf(dir, folder))),
    probe: (bytes = SMALL_FILE_BYTES) => tellingFaults(() => tryWriting(place, bytes)),
  }
}

/**
 * While its volume is not mounted, new files would land under the mount.
 * @throws StoreDown
 */
async function requirePlace({ dir, incoming, device }: Place): Promise<void> {
  if (await isThere(incoming)) return
  const isSame = await stat(dir).then(
    (found) => found.dev === device,
    () => false,
  )
  if (!isSame) throw new StoreDown('The volume of the artifacts is not mounted.')
  await mkdir(incoming, { recursive: true, mode: DIRECTORY_MODE })
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )

async function missingIn(place: Place): Promise<null> {
  await requirePlace(place)
  return null
}

async function tryWriting(place: Place, bytes: number): Promise<void> {
  await requirePlace(place)
  const name = randomUUID()
  const [file, folder] = [join(place.incoming, name), join(place.dir, `.${name}`)]
  try {
    // Some file systems store zeros in no space.
    await writeDurably(file, randomBytes(bytes))
    await mkdir(folder, { mode: DIRECTORY_MODE })
  } finally {
    await Promise.all([rm(file, { force: true }), rm(folder, { force: true, recursive: true })])
  }
}

/** Files carry this machine's time; the context's clock is the database's. */
function removeAbandoned(incoming: string): void {
  for (const name of readdirSync(incoming)) {
    const path = join(incoming, name)
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (modified !== undefined && modified < Date.now() - ABANDONED_AFTER_MS) rmSync(path, { force: true })
  }
}

/** @throws RangeError, so no key ever leaves the directory */
function pathOf(dir: string, key: string): string {
  if (!isStorageKey(key)) throw new RangeError('the storage key is malformed')
  return join(dir, key)
}

async function putFile(place: Place, key: string, content: Uint8Array | Readable, isSynced: boolean): Promise<Stored> {
  const [path, temporary] = [pathOf(place.dir, key), join(place.incoming, randomUUID())]
  try {
    const write = () => writeNew(temporary, content, isSynced)
    const stored = await write().catch(async (error: unknown) => {
      if (!isMissing(error) || (await isThere(place.incoming))) throw error
      await requirePlace(place)
      return write()
    })
    const created = await moveInto(place, temporary, path)
    // A rename survives a power cut only after both directories are synced.
    if (isSynced) await syncParents(place, path, created)
    return stored
  } catch (error) {
    await rm(temporary, { force: true })
    await removeEmptyParents(place.dir, path)
    throw error
  }
}

async function syncParents({ dir }: Place, path: string, created: boolean): Promise<void> {
  const changed = [dirname(path)]
  for (let parent = dirname(path); created && parent !== dir; parent = dirname(parent)) changed.push(dirname(parent))
  try {
    await Promise.all(changed.map(syncDirectory))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** A deletion may remove the empty directory before the rename. */
async function moveInto(place: Place, temporary: string, path: string): Promise<boolean> {
  for (let [attempt, created] = [1, false]; ; attempt++) {
    try {
      // The first file of a folder makes it.
      if (attempt > 1) created = (await makeParents(place, path)) || created
      await rename(temporary, path)
      return created
    } catch (error) {
      if (!isGone(error, attempt)) throw error
    }
  }
}

async function makeParents({ dir }: Place, path: string): Promise<boolean> {
  try {
    return (await mkdir(dirname(path), { recursive: true, mode: DIRECTORY_MODE })) !== undefined
  } catch (error) {
    // Node.js reports a read-only file system as ENOENT; `access` reports EROFS.
    if (errorCode(error) === 'ENOENT') await access(dir, constants.W_OK)
    throw error
  }
}

const isGone = (error: unknown, attempt: number): boolean => errorCode(error) === 'ENOENT' && attempt < PLACE_ATTEMPTS

async function statFile(path: string): Promise<StoredFile | null> {
  try {
    const found = await stat(path)
    return found.isFile() ? { bytes: found.size, modified: found.mtime } : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function openStream(place: Place, path: string, range: ByteRange | undefined): Promise<Readable> {
  const handle = await openFile(place, path)
  return handle.createReadStream(range ? { start: range.start, end: range.end } : {})
}

async function openFile(place: Place, path: string): Promise<FileHandle> {
  const handle = await open(path).catch(async (error: unknown) => {
    if (isMissing(error)) await requirePlace(place)
    throw error
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Error('there is no file under the storage key')
}

async function deleteFile(place: Place, path: string): Promise<void> {
  if ((await statFile(path)) === null) return requirePlace(place)
  await unlink(path).catch((error) => {
    if (!isMissing(error)) throw error
  })
  await removeEmptyParents(place.dir, path)
}

async function deleteFolder(place: Place, path: string): Promise<void> {
  const found = await readdir(path).catch((error) => {
    if (!isMissing(error)) throw error
  })
  if (found === undefined) return requirePlace(place)
  await rm(path, { recursive: true, force: true })
  await removeEmptyParents(place.dir, path)
}

async function removeEmptyParents(dir: string, path: string): Promise<void> {
  for (let parent = dirname(path); parent !== dir; parent = dirname(parent)) {
    const wasEmpty = await rmdir(parent).then(
      () => true,
      () => false,
    )
    if (!wasEmpty) return
  }
}

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')

/** Runs `work` and turns the volume's errors into StoreDown. */
async function tellingFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asFault(error)
  }
}

function asFault(error: unknown): unknown {
  const code = errorCode(error) ?? ''
  const { syscall, message } = error as NodeJS.ErrnoException
  const fault = syscall === undefined || syscall === 'connect' ? undefined : FAULTS[code]
  // The message names the path, which holds a job's id at most.
  return fault === undefined ? error : new StoreDown(message, { fault, code, cause: error })
}
