import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import { probeBucket } from './s3-probe.ts'
import { type Send, s3Sender } from './s3-sender.ts'
import type { S3Bucket } from './s3-url.ts'
import { isStorageKey } from './sign-url.ts'
import { SIGNED_URL_SECONDS, type Storage, type Stored } from './storage.ts'

/** What goes up in one request, and is held in memory meanwhile; S3 wants parts of 5 MiB at least. */
const PART_BYTES = 8 * 1024 * 1024

/** What a worker has rendered waits this long for a bucket that is away: rendering it again would cost more. */
const PUT_RETRY_BUDGET_MS = 180_000

interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/**
 * Artifacts in an S3-compatible bucket, read through presigned URLs. Up to 8 MiB go up in one request; longer
 * content as a multipart upload, part by part as it comes, which shows up in the bucket only when its last part is there. The checksum
 * is taken on the way. A presigned URL is for GET: S3 refuses HEAD under it.
 */
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
    read: async (key, range) => {
      const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
      const { body } = await send({ url: urlOf(key), method: 'GET', headers, accept: [200, 206] })
      return body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream)
    },
    signUrl: async (key, options) => presign(client, new URL(urlOf(key, bucket.publicUrl)), options),
    delete: async (key) => deleteUrl(send, urlOf(key)),
    deleteBelow: async (folder) => {
      // Refuses what no key can be, as everywhere.
      urlOf(folder)
      await deleteListed(send, bucket.url, `${folder}/`)
    },
    probe: () => probeBucket(send, urlOf),
    close: async () => {},
  }
}

/** For GET alone, and with the content type that the answer is to have. */
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

/** What is on a page of the list is deleted before the next page is asked for: that is then the first one. */
async function deleteListed(send: Send, bucketUrl: string, prefix: string): Promise<void> {
  for (let isMore = true; isMore; ) {
    const url = `${bucketUrl}?list-type=2&prefix=${encodeURIComponent(prefix)}`
    const page = await (await send({ url, method: 'GET', accept: [200] })).text()
    for (const [, key] of page.matchAll(/<Key>([^<]+)<\/Key>/g)) await deleteUrl(send, `${bucketUrl}/${key}`)
    isMore = /<IsTruncated>true<\/IsTruncated>/.test(page)
  }
}

async function deleteUrl(send: Send, url: string): Promise<void> {
  const { body } = await send({ url, method: 'DELETE', accept: [200, 204, 404], retryBudgetMs: 0, signal: undefined })
  // An unread body would keep its connection.
  await body?.cancel()
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

async function putParts(
  send: Send,
  url: string,
  first: Uint8Array<ArrayBuffer>,
  rest: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  headers: Record<string, string>,
): Promise<number> {
  const started = await send({ url: `${url}?uploads=`, method: 'POST', headers, accept: [200] })
  const upload = /<UploadId>([^<]+)<\/UploadId>/.exec(await started.text())?.[1]
  if (upload === undefined) throw new Error('S3 named no upload.')
  const uploadUrl = (more: string) => `${url}?${more}uploadId=${encodeURIComponent(upload)}`
  try {
    const tags: string[] = []
    let bytes = 0
    for (let part: Uint8Array<ArrayBuffer> | undefined = first; part !== undefined; ) {
      const sent = await send({
        url: uploadUrl(`partNumber=${tags.length + 1}&`),
        method: 'PUT',
        body: part,
        accept: [200],
      })
      tags.push(sent.headers.get('etag') ?? '')
      bytes += part.length
      const next: IteratorResult<Uint8Array<ArrayBuffer>> = await rest.next()
      part = next.done === true ? undefined : next.value
    }
    const finished = await send({ url: uploadUrl(''), method: 'POST', body: completion(tags), accept: [200] })
    // S3 answers 200 before it is done, and reports a failure in the body.
    if (/<Error>/.test(await finished.text())) throw new Error('S3 could not put the parts together.')
    return bytes
  } catch (error) {
    await deleteUrl(send, uploadUrl('')).catch(() => undefined)
    throw error
  }
}

function completion(tags: readonly string[]): string {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
}

/** The content in pieces of PART_BYTES, the last one shorter. @throws what the source throws, also when it ends too early */
async function* partsOf(content: Uint8Array | Readable, hash: Hash): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const chunk of content instanceof Readable ? content : [content]) {
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
