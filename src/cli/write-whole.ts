import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidRequest } from '../errors.ts'

/**
 * Writes a file that bears its name only when it is whole: a failure, or the signal, leaves nothing behind. What is no ordinary file, such
 * as a pipe or a device, is written to as it is and never replaced.
 * @throws INVALID_REQUEST where the file cannot be written
 */
export async function writeWhole(path: string, content: Readable, signal: AbortSignal): Promise<void> {
  try {
    if (await isSpecial(path)) await pipeline(content, createWriteStream(path), { signal })
    else await writeBeside(path, content, signal)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    throw invalidRequest(`Name a file that can be written: "${path}" cannot (${code}).`)
  }
}

async function writeBeside(path: string, content: Readable, signal: AbortSignal): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}.part`
  try {
    // A new file, or none: another one of that name, or a link, is not followed.
    await pipeline(content, createWriteStream(part, { flags: 'wx' }), { signal })
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Links are followed by nobody here: a link to a file counts as special and is written through. */
async function isSpecial(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
