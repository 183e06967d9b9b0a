/** The embedded PostgreSQL cannot work. The message is one sentence that an operator can act on. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'it, or a part of its path, is a file and not a directory',
  EEXIST: 'it is a file and not a directory',
  ENOSPC: 'the file system is full',
  ENOENT: 'it cannot be made there',
}

export const cannotUse = (directory: string, reason: string) =>
  new EmbeddedError(`The data directory ${directory} cannot be used: ${reason}.`)

/** Runs file system work on a directory; what fails becomes one sentence that names the directory and the reason. */
export async function using<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    if (error instanceof EmbeddedError || code === undefined) throw error
    throw cannotUse(directory, REASONS[code] ?? code)
  }
}

export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
