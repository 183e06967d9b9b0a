import autocannon from 'autocannon'
import { request } from 'undici'

export interface Load {
  readonly url: string
  readonly seconds: number
  readonly connections: number
  /** The status that every answer must have: a fast refusal is no throughput. */
  readonly status: number
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Puts an id of its own in the place of `[<id>]` in each request. */
  readonly idReplacement?: boolean
}

/** Requests per second over kept-alive connections. Throws when an answer has another status or a connection fails. */
export async function requestsPerSecond({ seconds, status, ...load }: Load): Promise<number> {
  const result = await autocannon({ ...load, duration: seconds })
  const good = result.statusCodeStats[String(status)]?.count ?? 0
  const all = Object.values(result.statusCodeStats).reduce((sum, { count }) => sum + count, 0)
  if (result.errors > 0 || good === 0 || good < all) {
    throw new Error(
      `${load.url}: ${all - good} of ${all} answers were not ${status}, ${result.errors} connections failed`,
    )
  }
  return good / result.duration
}

/** Milliseconds until an answer is there whole: of a GET, or of a GraphQL operation by POST. Throws unless it is a good one. */
export async function responseTime(url: string, headers: Record<string, string>, operation?: string): Promise<number> {
  const started = performance.now()
  const asked = operation === undefined ? {} : { method: 'POST' as const, body: operation }
  const { statusCode, body } = await request(url, { headers, ...asked })
  const answer = operation === undefined ? await body.arrayBuffer() : ((await body.json()) as object)
  if (statusCode !== 200 || 'errors' in answer)
    throw new Error(`${url} answered ${statusCode}: ${JSON.stringify(answer)}`)
  return performance.now() - started
}
