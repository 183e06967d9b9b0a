import { StoreDown } from '../errors/store-down.ts'
import { deleteUrl } from './s3-delete.ts'
import type { Send } from './s3-sender.ts'
import { textOf } from './s3-xml.ts'

/** S3 demands at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024

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
