import { randomBytes } from 'node:crypto'
import { createWriteStream, open } from 'node:fs'
import { access, constants, type FileHandle, lstat, open as openFile, rename, rm, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { invalidRequest } from '../errors/service-error.ts'

/** How often a pipe is checked for a reader. */
const POLL_MS = 100
const NEW_FILE_MODE = 0o666
/** The name of a file that is none; a file of that name is ./- */
export const STANDARD_OUTPUT = '-'
const openDescriptor = promisify(open)

/**
 * Writes a file that bears its name only when it is whole: a failure, or the signal, leaves nothing behind. A file that it replaces was
 * open to no other user than it is. What is no ordinary file, such as a pipe or a device, is written to as it is and never replaced.
 * `-` is standard output, which stays open.
 * @throws INVALID_REQUEST where the file cannot be written; what the content fails with
 */
export async function writeWhole(path: string, content: Readable, signal: AbortSignal): Promise<void> {
  if (path === STANDARD_OUTPUT) return writeOut(content, signal)
  const special = await isSpecial(path).catch(reject(path))
  if (special) await pour(path, content, await openSpecial(path, content, signal), signal)
  else await writeBeside(path, content, signal)
}

/**
 * Says before there is anything to write that nothing can be: the directory is missing or closed, or the path is one. What changes
 * meanwhile, or a disk that gets full, is found by writeWhole.
 * @throws INVALID_REQUEST
 */
export async function checkWritable(path: string): Promise<void> {
  const check = async () => {
    if (path === STANDARD_OUTPUT) return
    if (!(await isSpecial(path))) await access(dirname(resolve(path)), constants.W_OK | constants.X_OK)
    else if ((await stat(path)).isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' })
    else await access(path, constants.W_OK)
  }
  await check().catch(reject(path))
}

/** A reader that reads no further, as `head` does, has all that it wanted. */
async function writeOut(content: Readable, signal: AbortSignal): Promise<void> {
  await pipeline(content, process.stdout, { signal, end: false }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

async function writeBeside(path: string, content: Readable, signal: AbortSignal): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}.part`
  const mode = await lstat(path).then(
    (replaced) => replaced.mode,
    () => NEW_FILE_MODE,
  )
  try {
    await pour(path, content, (await openNew(part, path, content, mode)).createWriteStream(), signal)
    await rename(part, path).catch(reject(path))
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** A new file, or none: another one of that name, or a link, is not followed. The content learns nothing of the name of a part. */
const openNew = (part: string, path: string, content: Readable, mode: number): Promise<FileHandle> =>
  openFile(part, 'wx', mode).catch((error: NodeJS.ErrnoException) => {
    content.destroy()
    throw notWritable(path, error)
  })

/** A thread that waited for a pipe's reader, to come or to read on, would keep the process from ending: pipes are written to as sockets. */
async function openSpecial(path: string, content: Readable, signal: AbortSignal): Promise<Writable> {
  const isPipe = await stat(path).then(
    (found) => found.isFIFO(),
    () => false,
  )
  if (!isPipe) return createWriteStream(path)
  const fd = await openPipe(path, content, signal).catch((error: NodeJS.ErrnoException) => {
    content.destroy()
    throw signal.aborted || content.errored ? error : notWritable(path, error)
  })
  return new Socket({ fd, readable: false, writable: true })
}

/** Waits until a process reads it, the content fails, or the signal. */
async function openPipe(path: string, content: Readable, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return await openDescriptor(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
    }
    await wait(POLL_MS, undefined, { signal })
    if (content.errored) throw content.errored
  }
}

/** A connection that breaks under the content fails both streams with the same words: the first one that fails is to blame. */
async function pour(path: string, content: Readable, written: Writable, signal: AbortSignal): Promise<void> {
  let blamed: Readable | Writable | undefined
  for (const stream of [content, written]) {
    stream.once('error', () => {
      blamed ??= stream
    })
  }
  await pipeline(content, written, { signal }).catch((error: NodeJS.ErrnoException) => {
    throw blamed === written && !signal.aborted ? notWritable(path, error) : error
  })
}

const reject = (path: string) => (error: NodeJS.ErrnoException) => {
  throw notWritable(path, error)
}

const notWritable = (path: string, { code }: NodeJS.ErrnoException) =>
  invalidRequest(`The file "${path}" cannot be written (${code ?? 'unknown error'}).`)

/** Links are not followed here: a link to a file counts as special and is written through. */
async function isSpecial(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
