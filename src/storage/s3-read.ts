import { Readable } from 'node:stream'
import { StoreDown } from '../errors/store-down.ts'
import type { Send } from './s3-sender.ts'
import type { ByteRange } from './storage.ts'

const MOST_RESUMES = 3
const CONTENT_RANGE = /^bytes (\d+)-/

interface Opened {
  readonly body: AsyncIterable<Uint8Array>
  readonly tag: string | null
  /** Bytes before the range, if the store ignores `Range`. */
  readonly skipped: number
}

/**
 * Streams an object or a range and resumes after a broken connection.
 * @throws if S3 refuses the first request
 */
export async function readObject(send: Send, url: string, range?: ByteRange): Promise<Readable> {
  const closed = new AbortController()
  const sendUntilClosed: Send = (request) => send({ ...request, signal: closed.signal })
  const first = await open(sendUntilClosed, url, range, null)
  const stream = Readable.from(bytesOf(sendUntilClosed, url, range, first), { objectMode: false })
  return stream.once('close', () => closed.abort())
}

async function open(send: Send, url: string, range: ByteRange | undefined, tag: string | null): Promise<Opened> {
  const headers: Record<string, string> = {
    ...(range !== undefined && { range: `bytes=${range.start}-${Number.isFinite(range.end) ? range.end : ''}` }),
    ...(tag !== null && { 'if-match': tag }),
  }
  const response = await send({ url, method: 'GET', headers, accept: [200, 206] })
  const start = range?.start ?? 0
  const at =
    response.status === 206 ? Number(CONTENT_RANGE.exec(response.headers.get('content-range') ?? '')?.[1] ?? start) : 0
  if (at > start) throw new StoreDown('S3 sent another range than it was asked for.')
  const body = (response.body ?? []) as unknown as AsyncIterable<Uint8Array>
  return { body, tag: response.headers.get('etag'), skipped: start - at }
}

async function* bytesOf(
  send: Send,
  url: string,
  range: ByteRange | undefined,
  first: Opened,
): AsyncGenerator<Uint8Array> {
  const end = range?.end ?? Number.POSITIVE_INFINITY
  let at = range?.start ?? 0
  let opened = first
  for (let resumes = 0; ; resumes++) {
    try {
      for await (const piece of piecesOf(opened, end - at + 1)) {
        at += piece.length
        resumes = 0
        yield piece
      }
      return
    } catch (error) {
      if (resumes === MOST_RESUMES) throw new StoreDown('S3 broke an object off.', { cause: error })
    }
    opened = await open(send, url, { start: at, end }, first.tag)
  }
}

async function* piecesOf({ body, skipped }: Opened, limit: number): AsyncGenerator<Uint8Array> {
  let [before, left] = [skipped, limit]
  for await (const chunk of body) {
    const piece = chunk.subarray(Math.min(before, chunk.length)).subarray(0, left)
    before = Math.max(0, before - chunk.length)
    left -= piece.length
    if (piece.length > 0) yield piece
    if (left <= 0) return
  }
}
