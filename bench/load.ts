import autocannon from 'autocannon'

export interface Load {
  readonly url: string
  readonly seconds: number
  readonly connections: number
  /** What every answer must be: a fast refusal is no throughput. */
  readonly status: number
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
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
