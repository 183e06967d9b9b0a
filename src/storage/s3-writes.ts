import { StoreDown } from '../errors/outages.ts'
import { type Send, textOf, textsOf } from './s3-sender.ts'

/** S3 demands at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024
const MOST_EMPTY_PAGES = 100
/** Answers of stores that cannot list uploads or refuse it. */
const UNLISTED = [400, 403, 404, 405, 501]

type Bytes = Uint8Array<ArrayBuffer>

interface Upload {
  readonly url: string
  readonly id: string
}

/** Returns the length. S3 shows the object only after its last part. */
export async function putParts(
  send: Send,
  url: string,
  first: Bytes,
  rest: AsyncGenerator<Bytes>,
  headers: Record<string, string>,
): Promise<number> {
  const upload = await begin(send, url, headers)
  try {
    const tags: string[] = []
    let bytes = 0
    for (let part: Bytes | undefined = first; part !== undefined; ) {
      tags.push(await putPart(send, upload, tags.length + 1, part))
      bytes += part.length
      const next: IteratorResult<Bytes> = await rest.next()
      part = next.done === true ? undefined : next.value
    }
    await complete(send, upload, tags, bytes)
    return bytes
  } catch (error) {
    // If this fails too, deleteBelow of its folder aborts the upload.
    await deleteUrl(send, uploadUrl(upload)).catch(() => undefined)
    throw error
  }
}

const uploadUrl = ({ url, id }: Upload, more = ''): string => `${url}?${more}uploadId=${encodeURIComponent(id)}`

async function begin(send: Send, url: string, headers: Record<string, string>): Promise<Upload> {
  const root = 'InitiateMultipartUploadResult'
  const started = await send({ url: `${url}?uploads=`, method: 'POST', headers, accept: [200], root })
  const id = textOf(await started.text(), 'UploadId')
  if (id === undefined) throw new StoreDown('S3 named no upload.')
  return { url, id }
}

async function putPart(send: Send, upload: Upload, number: number, body: Bytes): Promise<string> {
  const sent = await send({ url: uploadUrl(upload, `partNumber=${number}&`), method: 'PUT', body, accept: [200] })
  const tag = sent.headers.get('etag')
  if (tag === null) throw new StoreDown('S3 gave a part no ETag.')
  return tag
}

/**
 * S3 may report a failure in the body of a 200.
 * If only the answer was lost, the object exists and S3 answers NoSuchUpload.
 */
async function complete(send: Send, upload: Upload, tags: readonly string[], bytes: number): Promise<void> {
  const isDone = () => isThere(send, upload.url, tags.length, bytes).catch(() => false)
  try {
    await askToComplete(send, upload, tags, 0)
  } catch (error) {
    if (await isDone()) return
    if (!(error instanceof StoreDown)) throw error
    await askToComplete(send, upload, tags).catch(async (again: unknown) => {
      if (!(await isDone())) throw again
    })
  }
}

async function askToComplete(send: Send, upload: Upload, tags: readonly string[], retryBudgetMs?: 0): Promise<void> {
  const body = completion(tags)
  const limit = retryBudgetMs === undefined ? {} : { retryBudgetMs }
  await send({
    url: uploadUrl(upload),
    method: 'POST',
    body,
    accept: [200],
    root: 'CompleteMultipartUploadResult',
    ...limit,
  })
}

/** A multipart ETag holds the number of parts; otherwise the length decides. */
async function isThere(send: Send, url: string, parts: number, bytes: number): Promise<boolean> {
  const { status, headers } = await send({ url, method: 'HEAD', accept: [200, 404], retryBudgetMs: 0 })
  const [, count] = /-(\d{1,5})"?$/.exec(headers.get('etag') ?? '') ?? []
  return status === 200 && Number(headers.get('content-length')) === bytes && Number(count ?? parts) === parts
}

function completion(tags: readonly string[]): string {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
}

/** Deletes every object below the folder and aborts unfinished uploads there. */
export async function deleteBelowFolder(send: Send, bucketUrl: string, folder: string): Promise<void> {
  const prefix = `prefix=${encodeURIComponent(`${folder}/`)}`
  await deleteObjects(send, bucketUrl, prefix)
  await abortUploads(send, bucketUrl, prefix)
}

export async function deleteUrl(send: Send, url: string): Promise<void> {
  const { body } = await send({ url, method: 'DELETE', accept: [200, 204, 404], retryBudgetMs: 0, signal: undefined })
  // An unread body would keep its connection.
  await body?.cancel()
}

async function deleteObjects(send: Send, bucketUrl: string, prefix: string): Promise<void> {
  const root = 'ListBucketResult'
  const seen = new Set<string>()
  let emptyPages = 0
  for (let from = ''; ; ) {
    const url = `${bucketUrl}?list-type=2&${prefix}${from}`
    const page = await (await send({ url, method: 'GET', accept: [200], root })).text()
    const keys = textsOf(page, 'Key')
    for (const key of keys) await deleteUrl(send, `${bucketUrl}/${encodeKey(key)}`)
    if (textOf(page, 'IsTruncated') !== 'true') return
    emptyPages = keys.length === 0 ? emptyPages + 1 : 0
    from = afterPage(textOf(page, 'NextContinuationToken'), keys.at(-1))
    if (from === '' || seen.has(from) || emptyPages > MOST_EMPTY_PAGES)
      throw new StoreDown('S3 lists objects without an end.')
    seen.add(from)
  }
}

/** Stores without tokens continue after the last key. Empty: no next page. */
function afterPage(token: string | undefined, lastKey: string | undefined): string {
  if (token !== undefined) return `&continuation-token=${encodeURIComponent(token)}`
  return lastKey === undefined ? '' : `&start-after=${encodeURIComponent(lastKey)}`
}

async function abortUploads(send: Send, bucketUrl: string, prefix: string): Promise<void> {
  const url = `${bucketUrl}?uploads=&${prefix}`
  const listed = await send({ url, method: 'GET', accept: [200, ...UNLISTED] })
  const page = await listed.text()
  if (listed.status !== 200) return
  const ids = textsOf(page, 'UploadId')
  for (const [index, key] of textsOf(page, 'Key').entries()) {
    const id = ids[index]
    if (id !== undefined) await deleteUrl(send, `${bucketUrl}/${encodeKey(key)}?uploadId=${encodeURIComponent(id)}`)
  }
}

const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/')
