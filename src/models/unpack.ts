import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeWebStream } from 'node:stream/web'
import { createTarDecoder, type TarHeader } from 'modern-tar'
import unbzip2Stream from 'unbzip2-stream'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'

/** Weights hardly shrink, and the text files beside them by ten. */
const MOST_GROWTH = 20
const LEAST_BOUND_BYTES = 4 * 1024 ** 2
/** macOS puts a file of attributes beside each file. */
const APPLE_DOUBLE = /(^|\/)\._[^/]*$/

/** Errors of the disk that the archive has caused. */
const WRONG_NAMES = ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']

interface Unpacking {
  readonly archive: string
  /** An empty directory. */
  readonly directory: string
  readonly signal: AbortSignal
  onBytes(read: number, total: number): void
}

/**
 * Unpacks a .tar.bz2 of files and directories. Nothing outside the directory is written, and links and devices are refused.
 * @throws INVALID_REQUEST if the archive is damaged, leads outside, or unpacks to more than its size allows; errors of the disk
 */
export async function unpack(unpacking: Unpacking): Promise<void> {
  const { archive, directory, signal } = unpacking
  const { size } = await stat(archive)
  const tar = tarOf(unpacking, size)
  try {
    const entries = (Readable.toWeb(tar) as ReadableStream<Uint8Array>).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of entries as AsyncIterable<Entry>) {
      signal.throwIfAborted()
      const path = pathIn(header)
      if (APPLE_DOUBLE.test(header.name)) await body.cancel()
      else if (header.type === 'directory') await mkdir(join(directory, path), { recursive: true })
      else await writeFile(join(directory, path), body, signal)
    }
  } catch (error) {
    signal.throwIfAborted()
    const cause = tar.errored ?? error
    if (cause instanceof ServiceError) throw cause
    const code = errorCode(cause) ?? ''
    if (WRONG_NAMES.includes(code))
      throw invalidRequest('The archive holds a name twice, or one that no file can have.')
    if (code.startsWith('E')) throw cause
    throw invalidRequest(`${archive} is damaged, or is no .tar.bz2.`)
  } finally {
    tar.destroy()
  }
}

type Entry = { readonly header: TarHeader; readonly body: ReadableStream<Uint8Array> }

async function writeFile(path: string, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // Security: `wx` follows no link and replaces no file. `flush`: a power cut leaves no model with empty files.
  await pipeline(
    Readable.fromWeb(body as NodeWebStream<Uint8Array>),
    createWriteStream(path, { flags: 'wx', flush: true }),
    {
      signal,
    },
  )
}

/** The decompressed bytes, at most as many as the archive's size allows. */
function tarOf({ archive, signal, onBytes }: Unpacking, size: number): Transform {
  const most = size * MOST_GROWTH + LEAST_BOUND_BYTES
  const source = createReadStream(archive, { signal })
  let [read, written] = [0, 0]
  source.on('data', (chunk) => {
    read += chunk.length
    onBytes(read, size)
  })
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      written += chunk.length
      done(written > most ? invalidRequest(`${archive} unpacks to more than ${most} bytes.`) : null, chunk)
    },
  })
  const plain = source.pipe(unbzip2Stream())
  for (const stream of [source, plain] as NodeJS.ReadableStream[])
    stream.on('error', (error: Error) => bounded.destroy(error))
  bounded.once('close', () => source.destroy())
  return plain.pipe(bounded)
}

/** @throws INVALID_REQUEST for an entry that is no file or directory below the archive's own */
function pathIn({ name, type = 'file' }: TarHeader): string {
  if (type !== 'file' && type !== 'directory')
    throw invalidRequest(`The archive holds a ${type}, "${name}": only files and directories are unpacked.`)
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (name.startsWith('/') || parts.includes('..'))
    throw invalidRequest(`The archive holds "${name}", which leads out of its directory.`)
  return join(...parts, '.')
}
