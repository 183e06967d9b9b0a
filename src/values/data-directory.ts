import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'it, or a part of its path, is a file and not a directory',
  EEXIST: 'it is a file and not a directory',
  EISDIR: 'it is a directory and not a file',
  ENOSPC: 'the file system is full',
  EDQUOT: "this user's share of the file system is full",
  ENOENT: 'it cannot be made there',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'its path leads in a circle',
}

export const cannotUse = (directory: string, reason: string) =>
  new DataDirectoryError(`The data directory ${directory} cannot be used: ${reason}.`)

export async function using<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explained(directory, error)
  }
}

export function usingSync<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explained(directory, error)
  }
}

/**
 * Creates the directory if needed and returns its real path.
 * Node's recursive mkdir never returns on file systems that answer ENOENT, such as /proc.
 * @throws DataDirectoryError
 */
export const openDataDirectory = (directory: string, mode = 0o777): string =>
  usingSync(directory, () => {
    makeWithParents(directory, mode)
    return realpathSync(directory)
  })

export function makeWithParents(directory: string, mode: number): void {
  try {
    makeOne(directory, mode)
  } catch (error) {
    const parent = dirname(directory)
    if (errorCode(error) !== 'ENOENT' || parent === directory) throw error
    makeWithParents(parent, mode)
    makeOne(directory, mode)
  }
}

/** Another process may create it first; a link to a directory also counts. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(directory).isDirectory()) throw error
    return
  }
  syncEntries(dirname(directory))
}

/** After a power cut a new entry survives only if its directory was synced. */
export function syncEntries(directory: string): void {
  let descriptor: number
  try {
    descriptor = openSync(directory, 'r')
  } catch (error) {
    if (errorCode(error) === 'EACCES') return
    throw error
  }
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function explained(directory: string, error: unknown): unknown {
  const code = errorCode(error)
  return code === undefined ? error : cannotUse(directory, REASONS[code] ?? code)
}

export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
