import { StoreDown } from '../errors/store-down.ts'
import type { Send } from './s3-sender.ts'

/** No job's: nothing is ever there. */
const ABSENT_KEY = 'probe/none'
/** An object for a moment. */
const WRITTEN_KEY = 'probe/written'
/** An endpoint that takes connections and says nothing keeps no start waiting: a request of a job would wait for minutes. */
const LIMIT_MS = 15_000

/**
 * Finds out whether a bucket is there, and whether its keys may be used at all.
 * @param bytes has an object of this length written; absent: only if the bucket may not be read
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
  // A bucket that is not there and an object that is not there are both 404: the code says which.
  const answer = await send({ url: urlOf(ABSENT_KEY), method: 'GET', accept: [200, 403, 404] })
  const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]
  if (code === 'NoSuchKey') return
  // Keys without the right to list get this of their own bucket, too, in which they may write.
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
  // An unread body would keep its connection.
  await body?.cancel()
}
