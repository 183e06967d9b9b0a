import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { applyBenchEndpoint, benchEndpoint, drainRate, insertBacklog } from '../../backlog.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { interleaved, type Row, throughput } from '../../measure.ts'

const ROUND_TRIP_MS = 80
const SLOTS = 32
const SECONDS = 1
const WORKERS = 500
const POOLS = 17
const FLEET_LIMIT = 256
const { rate: LEAST } = GOALS.fleetPermits

/** Two workers far from their database and a server of 32 requests at once, beside 500 workers of other pools with servers of theirs. */
export const fleetPermits: Row = {
  name: 'fleet-permits',
  what: `two workers, ${ROUND_TRIP_MS} ms from PostgreSQL, beside ${WORKERS} idle ones of other pools`,
  reach: `>= ${LEAST} x without the ${WORKERS}`,
  run: async (environment) => {
    const count = SLOTS * (environment.quick ? 15 : 30)
    await applyBenchEndpoint(environment, SLOTS)
    await applyFleet(environment)
    const { url, accountId } = await environment.database()
    const proxy = await environment.floor('far-database', { DATABASE_URL: url, ROUND_TRIP_MS: String(ROUND_TRIP_MS) })
    const far = { DATABASE_URL: Object.assign(new URL(url), { host: new URL(proxy.url).host }).href }
    const server = await environment.floor('speech-server', { DELAY_MS: String(SECONDS * 1000) })
    const client = new Client({ connectionString: url })
    await client.connect()
    const floor = () => drain(environment, client, { ...far, SPEECH_URL: server.url }, accountId, count)
    const ours = async () => {
      const given = { ...far, WORKERS: String(WORKERS), POOLS: String(POOLS), DATABASE_POOL_SIZE: '100' }
      const fleet = await environment.worker('fleet', given)
      return floor().finally(() => fleet.stop())
    }
    try {
      await floor()
      const pairs = await interleaved(environment.quick ? 1 : 3, { ours, floor })
      const measure = throughput(`${SLOTS} slots x ${SECONDS} s`, 'jobs/s', pairs, LEAST)
      return { name: 'fleet-permits', measures: [measure], notes: [] }
    } finally {
      await client.end()
      await Promise.all([server.stop(), proxy.stop()])
    }
  },
}

async function applyFleet(environment: Environment): Promise<void> {
  const endpoints = Array.from({ length: POOLS }, (_, n) =>
    benchEndpoint(`fleet-${n}`, `fleet-${n}`, `http://fleet-${n}.invalid`, FLEET_LIMIT),
  )
  const file = join(await environment.directory(), 'fleet.json')
  await writeFile(file, JSON.stringify({ endpoints }))
  await environment.sonant('endpoints', 'apply', file)
}

async function drain(
  environment: Environment,
  client: Client,
  given: Readonly<Record<string, string>>,
  accountId: string,
  count: number,
): Promise<number> {
  const workers = [await environment.worker('speech-worker', given), await environment.worker('speech-worker', given)]
  try {
    return await drainRate(client, await insertBacklog(client, accountId, count))
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
  }
}
