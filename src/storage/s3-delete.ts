import { StoreDown } from '../errors/store-down.ts'
import type { Send } from './s3-sender.ts'
import { textOf, textsOf } from './s3-xml.ts'

const MOST_EMPTY_PAGES = 100
/** Answers of stores that cannot list uploads or refuse it. */
const UNLISTED = [400, 403, 404, 405, 501]

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
