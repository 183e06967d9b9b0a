import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { requestsPerSecond } from '../load.ts'
import { interleaved, type Pair, type Row, throughput } from '../measure.ts'

const { whole: WHOLE, unchanged: UNCHANGED } = GOALS.catalog

/**
 * The public catalog over 32 connections, whole (200) and unchanged (304). The floor is a bare Fastify route that sends the same bytes
 * under the same ETag.
 */
export const catalog: Row = {
  name: 'catalog',
  what: 'GET catalog, 200 and 304',
  reach: `>= ${WHOLE} and ${UNCHANGED} of a bare Fastify route sending the same bytes`,
  run: async (environment) => {
    const service = await environment.serve('serve')
    const url = `${service.url}/api/v1/public/voice`
    const bare = await environment.floor('catalog-server', { CATALOG_URL: url })
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const whole = await pairsOf(environment, url, bare.url, {}, 200)
    const unchanged = await pairsOf(environment, url, bare.url, { 'if-none-match': etag }, 304)
    await Promise.all([service.stop(), bare.stop()])
    const measures = [throughput('200', 'req/s', whole, WHOLE), throughput('304', 'req/s', unchanged, UNCHANGED)]
    return { name: 'catalog', measures, notes: [] }
  },
}

async function pairsOf(
  environment: Environment,
  ours: string,
  floor: string,
  headers: Readonly<Record<string, string>>,
  status: number,
): Promise<Pair[]> {
  const measure = (url: string, seconds: number) =>
    requestsPerSecond({ url, headers, status, seconds, connections: 32 })
  for (const url of [ours, floor]) await measure(url, 1)
  const seconds = environment.quick ? 1 : 3
  return interleaved(environment.quick ? 3 : 7, {
    ours: () => measure(ours, seconds),
    floor: () => measure(floor, seconds),
  })
}
