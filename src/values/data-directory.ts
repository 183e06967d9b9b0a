import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Nothing can be kept under DATA_DIR. The message is one sentence that an operator can act on. */
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

/** Runs file system work on a directory; what fails becomes one sentence that names the directory and the reason. */
export async function using<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explained(directory, error)
  }
}

/** The same for work that does not wait. */
export function usingSync<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explained(directory, error)
  }
}

/**
 * The directory by its one true name, made where it is missing; every process on it agrees on the name. Its parents are made one by
 * one: node's recursive mkdir never returns where a file system answers ENOENT, as /proc does.
 * @throws DataDirectoryError
 */
export const openDataDirectory = (directory: string, mode = 0o777): string =>
  usingSync(directory, () => {
    makeWithParents(directory, mode)
    return realpathSync(directory)
  })

/** Makes a directory where it is missing, with its parents: their entries are on the disk when this returns. */
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

/** One that is there, or a link to one, will do: another process may be faster. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(directory).isDirectory()) throw error
    return
  }
  syncEntries(dirname(directory))
}

/** After a power cut, what was made in a directory is there only then. One that may be written and not be read is left as it is. */
function syncEntries(directory: string): void {
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

/** What already is a sentence, or comes from no system call, stays as it is. */
function explained(directory: string, error: unknown): unknown {
  const code = errorCode(error)
  return code === undefined ? error : cannotUse(directory, REASONS[code] ?? code)
}

/** What node or PostgreSQL calls an error; undefined for one that has no such name. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
