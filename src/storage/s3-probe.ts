import { StoreDown } from '../errors/store-down.ts'
import type { Send } from './s3-sender.ts'

const ABSENT_KEY = 'probe/none'
const WRITTEN_KEY = 'probe/written'
const LIMIT_MS = 15_000

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
