import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import { StoreDown } from '../errors/outages.ts'
import { type Send, s3Sender } from './s3-sender.ts'
import type { S3Bucket } from './s3-url.ts'
import { deleteBelowFolder, deleteUrl, PART_BYTES, putParts } from './s3-writes.ts'
import { isStorageKey } from './sign-url.ts'
import { type ByteRange, SIGNED_URL_SECONDS, type Storage, type Stored, slicesOf } from './storage.ts'

const PUT_RETRY_BUDGET_MS = 180_000
const ABSENT_KEY = 'probe/none'
const WRITTEN_KEY = 'probe/written'
const LIMIT_MS = 15_000
const MOST_RESUMES = 3
const CONTENT_RANGE = /^bytes (\d+)-/

interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface Opened {
  readonly body: AsyncIterable<Uint8Array>
  readonly tag: string | null
  /** Bytes before the range, if the store ignores `Range`. */
  readonly skipped: number
}

/** Artifacts in an S3-compatible bucket, read through presigned GET URLs. */
export function openS3(bucket: S3Bucket, credentials: S3Credentials): Storage {
  const client = new AwsClient({ ...credentials, service: 's3', region: bucket.region, retries: 0 })
  const send = s3Sender(client)
  const urlOf = (key: string, base = bucket.url): string => {
    if (!isStorageKey(key)) throw new RangeError('the storage key is malformed')
    return `${base}/${key}`
  }
  return {
    put: (key, content, { contentType, signal }) => {
      const sendWithBudget: Send = (request) => send({ retryBudgetMs: PUT_RETRY_BUDGET_MS, signal, ...request })
      return putObject(sendWithBudget, urlOf, key, content, contentType)
    },
    stat: async (key) => {
      const { status, headers } = await send({ url: urlOf(key), method: 'HEAD', accept: [200, 404] })
      if (status === 404) return null
      return {
        bytes: Number(headers.get('content-length')),
        modified: new Date(headers.get('last-modified') ?? 0),
      }
    },
    read: (key, range) => readObject(send, urlOf(key), range),
    signUrl: async (key, options) => presign(client, new URL(urlOf(key, bucket.publicUrl)), options),
    delete: async (key) => deleteUrl(send, urlOf(key)),
    deleteBelow: async (folder) => {
      urlOf(folder)
      await deleteBelowFolder(send, bucket.url, folder)
    },
    probe: (bytes) => probeBucket(send, urlOf, bytes),
  }
}

async function presign(
  client: AwsClient,
  url: URL,
  { contentType, now }: Parameters<Storage['signUrl']>[1],
): Promise<string> {
  url.searchParams.set('X-Amz-Expires', String(SIGNED_URL_SECONDS))
  url.searchParams.set('response-content-type', contentType)
  const datetime = now.toISOString().replace(/[:-]|\.\d{3}/g, '')
  return (await client.sign(url.href, { method: 'GET', aws: { signQuery: true, datetime } })).url
}

async function putObject(
  send: Send,
  urlOf: (key: string) => string,
  key: string,
  content: Uint8Array | Readable,
  contentType: string,
): Promise<Stored> {
  try {
    const url = urlOf(key)
    const hash = createHash('sha256')
    const parts = partsOf(content, hash)
    const first = await parts.next()
    const head: Uint8Array<ArrayBuffer> = first.done === true ? new Uint8Array(0) : first.value
    const headers = { 'content-type': contentType }
    const bytes =
      head.length < PART_BYTES
        ? await putWhole(send, url, head, headers)
        : await putParts(send, url, head, parts, headers)
    return { bytes, sha256: hash.digest() }
  } catch (error) {
    if (content instanceof Readable) content.destroy()
    throw error
  }
}

async function putWhole(send: Send, url: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
  await send({ url, method: 'PUT', body, headers, accept: [200] })
  return body.length
}

/** @throws the source's error, also if it ends early */
async function* partsOf(content: Uint8Array | Readable, hash: Hash): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const chunk of content instanceof Readable ? content : slicesOf(content)) {
    const bytes: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    hash.update(bytes)
    waiting.push(bytes)
    length += bytes.length
    if (length < PART_BYTES) continue
    const whole = Buffer.concat(waiting)
    let at = 0
    for (; at + PART_BYTES <= whole.length; at += PART_BYTES) yield whole.subarray(at, at + PART_BYTES)
    waiting = [whole.subarray(at)]
    length = whole.length - at
  }
  if (length > 0) yield Buffer.concat(waiting)
}

/**
 * @param bytes to write; absent: only if the bucket is not readable
 * @throws Error with a sentence for the operator
 */
export async function probeBucket(
  send: Send,
  urlOf: (key: string) => string,
  bytes?: number,
  limitMs = LIMIT_MS,
): Promise<void> {
  const signal = AbortSignal.timeout(limitMs)
  const sendInTime: Send = (request) => send({ ...request, signal })
  try {
    if (bytes === undefined) await probeReading(sendInTime, urlOf)
    else await probeWriting(sendInTime, urlOf(WRITTEN_KEY), bytes)
  } catch (error) {
    throw signal.aborted ? new StoreDown(`S3 does not answer within ${limitMs / 1000} s.`) : error
  }
}

async function probeReading(send: Send, urlOf: (key: string) => string): Promise<void> {
  // A missing bucket and a missing object are both 404.
  const answer = await send({ url: urlOf(ABSENT_KEY), method: 'GET', accept: [200, 403, 404] })
  const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]
  if (code === 'NoSuchKey') return
  // A key without the right to list gets AccessDenied for a missing object.
  if (code === 'AccessDenied') return probeWriting(send, urlOf(WRITTEN_KEY), 0)
  if (answer.status === 200) {
    throw new Error('The endpoint has an answer for every path: it is not the one of an S3 API.')
  }
  throw new Error(`S3 answered ${answer.status}${code === undefined ? '' : ` ${code}`} to GET.`)
}

async function probeWriting(send: Send, url: string, bytes: number): Promise<void> {
  const headers = { 'content-type': 'text/plain' }
  await send({ url, method: 'PUT', body: new Uint8Array(bytes), headers, accept: [200] })
  const { body } = await send({ url, method: 'DELETE', accept: [200, 204, 404] })
  await body?.cancel()
}

/**
 * Streams an object or a range and resumes after a broken connection.
 * @throws if S3 refuses the first request
 */
async function readObject(send: Send, url: string, range?: ByteRange): Promise<Readable> {
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
