import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as wait } from 'node:timers/promises'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'

const TRIES = 3
const PAUSE_MS = 500
const SILENCE_MS = 60_000
/** No published model is nearly as large. */
const MAX_BYTES = 8 * 1024 ** 3
const [OK, PARTIAL, NOT_FOUND, TIMEOUT, UNSATISFIABLE, BUSY, SERVER_ERROR] = [200, 206, 404, 408, 416, 429, 500]
const FULL_DISK = ['ENOSPC', 'EDQUOT']

interface Download {
  readonly url: string
  readonly path: string
  readonly sizeBytes: number | undefined
  readonly signal: AbortSignal
  onBytes(received: number, total: number | undefined): void
}

/**
 * Downloads into `path`, and goes on where an earlier download stopped. Redirects lead to any http or https address.
 * @throws NOT_FOUND, INVALID_REQUEST, UNAVAILABLE if the server cannot be reached or breaks off without progress
 */
export async function download(wanted: Download): Promise<void> {
  for (let failures = 0; ; ) {
    const before = await bytesIn(wanted.path)
    try {
      await fetchRest(wanted, before)
      return
    } catch (error) {
      wanted.signal.throwIfAborted()
      const final = asFinal(error, wanted.path)
      if (final !== null) throw final
      failures = (await bytesIn(wanted.path)) > before ? 0 : failures + 1
      if (failures === TRIES)
        throw new ServiceError('UNAVAILABLE', `${wanted.url} cannot be downloaded: ${reasonOf(error)}.`)
      await wait(PAUSE_MS * failures, undefined, { signal: wanted.signal })
    }
  }
}

export const bytesIn = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

export async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal })
  return hash.digest('hex')
}

/** Returns UNAVAILABLE for a disk without room, else the error itself. */
export function withRoom(error: unknown, directory: string): unknown {
  return FULL_DISK.includes(errorCode(error) ?? '')
    ? new ServiceError('UNAVAILABLE', `The disk that holds ${directory} is full: make room there, then pull again.`)
    : error
}

async function fetchRest({ url, path, sizeBytes, signal, onBytes }: Download, had: number): Promise<void> {
  if (had > 0 && had === sizeBytes) return
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error(`nothing came for ${SILENCE_MS / 1000} s`)), SILENCE_MS)
  try {
    const headers = { 'accept-encoding': 'identity', ...(had > 0 && { range: `bytes=${had}-` }) }
    const both = AbortSignal.any([signal, silence.signal])
    const response = await fetch(url, { headers, signal: both })
    const start = await startOf(response, { url, path, had })
    if (response.status === UNSATISFIABLE) return
    const length = Number(response.headers.get('content-length') ?? Number.NaN)
    const total = Number.isNaN(length) ? sizeBytes : start + length
    checkLength(url, total, sizeBytes)
    let received = start
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        timer.refresh()
        received += chunk.length
        onBytes(received, total)
        done(received > (sizeBytes ?? MAX_BYTES) ? tooLong(url) : null, chunk)
      },
    })
    const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>)
    await pipeline(body, counted, createWriteStream(path, { flags: start > 0 ? 'a' : 'w' }), { signal: both })
    if (total !== undefined && received < total) throw new Error('the connection ended early')
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

interface Asked {
  readonly url: string
  readonly path: string
  readonly had: number
}

/** Returns where the answer begins in the file. @throws what ends the download, or makes it try again */
async function startOf(response: Response, { url, path, had }: Asked): Promise<number> {
  const { status } = response
  if (status === OK) return 0
  const from = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]
  if (status === PARTIAL && Number(from) === had) return had
  await response.body?.cancel()
  if (status === UNSATISFIABLE && response.headers.get('content-range') === `bytes */${had}`) return had
  if (status === UNSATISFIABLE || status === PARTIAL) await rm(path, { force: true })
  if ([PARTIAL, UNSATISFIABLE, TIMEOUT, BUSY].includes(status) || status >= SERVER_ERROR)
    throw new Error(`the server answered ${status}`)
  if (status === NOT_FOUND) throw new ServiceError('NOT_FOUND', `${url} is not there: the server answered ${status}.`)
  // A server that refuses now, such as for a link that has expired, may give the rest later.
  throw new ServiceError('UNAVAILABLE', `${url} cannot be downloaded: the server answered ${status}.`)
}

function checkLength(url: string, total: number | undefined, sizeBytes: number | undefined): void {
  if (total === undefined || sizeBytes === undefined || total === sizeBytes) return
  throw invalidRequest(`${url} has ${total} bytes instead of ${sizeBytes}: it is not the file that the index names.`)
}

const tooLong = (url: string) => invalidRequest(`${url} is longer than it may be.`)

/** Null: another attempt may help. */
function asFinal(error: unknown, path: string): unknown {
  if (error instanceof ServiceError) return error
  const roomy = withRoom(error, path)
  if (roomy !== error) return roomy
  return ['EACCES', 'EROFS', 'EISDIR', 'ENOENT'].includes(errorCode(error) ?? '') ? error : null
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}
