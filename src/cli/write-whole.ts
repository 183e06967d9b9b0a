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

const POLL_MS = 100
const NEW_FILE_MODE = 0o666
export const STANDARD_OUTPUT = '-'
const openDescriptor = promisify(open)

/**
 * Writes a file that gets its name only when it is complete; a failure leaves nothing.
 * Pipes and devices are written in place. `-` is standard output, which stays open.
 * @throws INVALID_REQUEST if the file cannot be written; the content's error
 */
export async function writeWhole(path: string, content: Readable, signal: AbortSignal): Promise<void> {
  if (path === STANDARD_OUTPUT) return writeOut(content, signal)
  const special = await isSpecial(path).catch(reject(path))
  if (special) await pour(path, content, await openSpecial(path, content, signal), signal)
  else await writeBeside(path, content, signal)
}

/** Checks early that a file could be written. @throws INVALID_REQUEST */
export async function checkWritable(path: string): Promise<void> {
  const check = async () => {
    if (path === STANDARD_OUTPUT) return
    if (!(await isSpecial(path))) await access(dirname(resolve(path)), constants.W_OK | constants.X_OK)
    else if ((await stat(path)).isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' })
    else await access(path, constants.W_OK)
  }
  await check().catch(reject(path))
}

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

/** Security: O_EXCL refuses an existing file and follows no link. */
const openNew = (part: string, path: string, content: Readable, mode: number): Promise<FileHandle> =>
  openFile(part, 'wx', mode).catch((error: NodeJS.ErrnoException) => {
    content.destroy()
    throw notWritable(path, error)
  })

/** A thread that waits for a pipe's reader would keep the process alive, so pipes are written as sockets. */
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

/** A link counts as special, so that it is written through. */
async function isSpecial(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
