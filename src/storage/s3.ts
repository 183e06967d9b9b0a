import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import { deleteBelowFolder, deleteUrl } from './s3-delete.ts'
import { PART_BYTES, putParts } from './s3-multipart.ts'
import { probeBucket } from './s3-probe.ts'
import { readObject } from './s3-read.ts'
import { type Send, s3Sender } from './s3-sender.ts'
import type { S3Bucket } from './s3-url.ts'
import { isStorageKey } from './sign-url.ts'
import { SIGNED_URL_SECONDS, type Storage, type Stored } from './storage.ts'

const PUT_RETRY_BUDGET_MS = 180_000

interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
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
    close: async () => {},
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
