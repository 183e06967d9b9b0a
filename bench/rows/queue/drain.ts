import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { request } from 'undici'
import { drainRate, insertBacklog, openDrain } from '../../backlog.ts'
import { costNote, type DrainCost } from '../../drain-cost.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { interleaved, type Measure, median, type Pair, type Row } from '../../measure.ts'
import { type StageTimes, stageTable } from '../../stages.ts'

const JOBS_ALONE = 100
const { jobsPerSecond: LEAST_JOBS } = GOALS.pipeline
const { rate: LEAST_BUSY } = GOALS.slots

/**
 * How fast one worker drains a backlog whose engine is one HTTP call to a server in another process. `pipeline`: the server answers at
 * once, 32 slots; the floor is the same calls by undici, 32 at a time. `slots`: the server takes 200 ms and has 8 slots, so 40 a second
 * is all that there is.
 */
export const pipeline: Row = {
  name: 'pipeline',
  what: 'jobs per second through the worker, server answering at once, 32 slots',
  reach: `>= ${LEAST_JOBS} jobs/s`,
  run: async (environment) => {
    const count = environment.quick ? 500 : 2000
    const setup = { slots: 32, delayMs: 0, count, rounds: environment.quick ? 1 : 3 }
    const { pairs, costs } = await compare(environment, setup)
    const value = median(pairs.map(({ ours }) => ours))
    const floor = median(pairs.map((pair) => pair.floor))
    const measure: Measure = {
      what: 'backlog drained',
      unit: 'jobs/s',
      floor,
      value,
      ratio: value / floor,
      reach: `>= ${LEAST_JOBS} jobs/s`,
      reached: value >= LEAST_JOBS,
    }
    return {
      name: 'pipeline',
      measures: [measure],
      notes: [costNote(costs), ...(await whereTimeGoes(environment, count))],
    }
  },
}

export const slots: Row = {
  name: 'slots',
  what: 'slots kept busy: 8 slots of 200 ms and a backlog',
  reach: `>= ${LEAST_BUSY} of 40 requests/s`,
  run: async (environment) => {
    const count = environment.quick ? 400 : 2000
    const { pairs } = await compare(environment, { slots: 8, delayMs: 200, count, rounds: 1 })
    const [pair] = pairs
    const ratio = pair!.ours / 40
    const measure: Measure = {
      what: `${count} jobs`,
      unit: 'jobs/s',
      floor: 40,
      value: pair!.ours,
      ratio,
      reach: `>= ${LEAST_BUSY} x floor`,
      reached: ratio >= LEAST_BUSY,
    }
    return { name: 'slots', measures: [measure], notes: [`undici alone reaches ${pair!.floor.toFixed(1)} requests/s`] }
  },
}

/** The stages of a job, measured in a worker that drains a backlog, and in one that gets a job whenever it has none. */
async function whereTimeGoes(environment: Environment, count: number): Promise<string[]> {
  const database = await environment.database()
  const server = await environment.floor('speech-server', { DELAY_MS: '0' })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const watched = async (work: () => Promise<unknown>): Promise<StageTimes> => {
    const file = join(await environment.directory(), 'stages.json')
    const worker = await environment.worker('speech-worker', { SPEECH_URL: server.url, STAGES_FILE: file })
    await work()
    await worker.stop()
    return JSON.parse(await readFile(file, 'utf8')) as StageTimes
  }
  const submit = async (jobs: number) => {
    const ids = await insertBacklog(client, database.accountId, jobs)
    await client.query(`select pg_notify('sonant_queue', 'voice.bench')`)
    await drainRate(client, ids, 2)
  }
  try {
    const busy = await watched(() => submit(count))
    const alone = await watched(async () => {
      for (let job = 0; job < JOBS_ALONE; job++) await submit(1)
    })
    return stageTable(busy, alone)
  } finally {
    await client.end()
    await server.stop()
  }
}

interface Setup {
  readonly slots: number
  readonly delayMs: number
  readonly count: number
  readonly rounds: number
}

interface Compared {
  readonly pairs: readonly Pair[]
  readonly costs: readonly DrainCost[]
}

async function compare(environment: Environment, { slots, delayMs, count, rounds }: Setup): Promise<Compared> {
  const drain = await openDrain(environment, { slots, delayMs })
  try {
    const floor = () => bareCalls(drain.server, slots, count)
    const pairs = await interleaved(rounds, { ours: () => drain.run(count), floor })
    return { pairs, costs: drain.costs }
  } finally {
    await drain.close()
  }
}

async function bareCalls(url: string, slots: number, count: number): Promise<number> {
  let left = count
  const started = performance.now()
  const slot = async () => {
    while (left-- > 0) {
      const { body } = await request(url, { method: 'POST', body: JSON.stringify({ input: 'A second of sound.' }) })
      await body.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: slots }, slot))
  return count / ((performance.now() - started) / 1000)
}
