import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { request } from 'undici'
import { applyBenchEndpoint, drainRate } from '../../backlog.ts'
import { cpuMs, type DrainCost, measureCost, postmasterOf } from '../../drain-cost.ts'
import type { Environment, Service } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { atMost, figure, median, type Row, type RowResult } from '../../measure.ts'
import { connected } from '../../seed.ts'
import {
  beginCounting,
  type Counts,
  countsOf,
  loadCounter,
  type WalCounts,
  walCountsOf,
} from '../../statement-count.ts'

const SLOTS = 32
const CONNECTIONS = 32
const WARM_UP_JOBS = 500
const COUNTED_JOBS = 2000
/** The last job's queue row ends after the job, and belongs to its cost. */
const SETTLE_MS = 500
/** A page of PostgreSQL, and the largest image of one: an image leaves out the page's unused space. */
const PAGE_KB = 8.192
const BODY = JSON.stringify({ inputs: { text: 'A second of sound.', voice: 'calm' } })
const { databaseMs: MOST_MS, walKb: MOST_KB } = GOALS.jobCost

/**
 * The cost of a voice job from its POST to its completion, through an API and a worker whose speech server answers at once, submitted over 32
 * connections: processor time of all of PostgreSQL's processes and its WAL; then, in a run of its own as counting costs time, statements and
 * commits as PostgreSQL counts them, less what both processes have it do while they idle, at the rate that was counted just before.
 */
export const jobCost: Row = {
  name: 'job-cost',
  what: 'a job from its POST to completed, as PostgreSQL has it',
  reach: `<= ${MOST_MS} ms of PostgreSQL's processor, <= ${MOST_KB} kB of WAL`,
  run: async ({ another }) => {
    const environment = another(loadCounter)
    try {
      const { url } = await environment.database()
      return await connected(url, (client) => measured(environment, client))
    } finally {
      await environment.close()
    }
  },
}

interface Running {
  readonly api: Service
  readonly worker: Service
  /** Submits so many jobs, and ends when they are completed. */
  work(jobs: number): Promise<unknown>
  stop(): Promise<unknown>
}

async function measured(environment: Environment, client: Client): Promise<RowResult> {
  await applyBenchEndpoint(environment, SLOTS)
  const { costs, imagesNote } = await costsOf(environment, client)
  const { commits, statements, idleNote } = await countsPerJob(environment, client)
  const of = (what: keyof (typeof costs)[number]) => median(costs.map((cost) => cost[what]))
  return {
    name: 'job-cost',
    measures: [
      atMost("PostgreSQL's processor", 'ms', of('databaseMs'), MOST_MS),
      atMost('WAL', 'kB', of('walBytes') / 1000, MOST_KB),
      ...(statements === null ? [] : [figure('statements', 'a job', statements)]),
      figure('commits', 'a job', commits),
    ],
    notes: [
      `a job takes ${of('apiMs').toFixed(2)} ms of the API's processor, ${of('workerMs').toFixed(2)} ms of the worker's`,
      imagesNote,
      idleNote,
      ...(statements === null ? ['statements were not counted: PostgreSQL has no pg_stat_statements'] : []),
    ],
  }
}

/** Both processes, with what they do in every job compiled. */
async function begin(environment: Environment, client: Client): Promise<Running> {
  const { apiKey } = await environment.database()
  const server = await environment.floor('speech-server', { DELAY_MS: '0' })
  const api = await environment.serve('serve')
  const worker = await environment.worker('speech-worker', { SPEECH_URL: server.url })
  const work = async (jobs: number) => drainRate(client, await submitAll(api.url, apiKey, jobs))
  await work(WARM_UP_JOBS)
  return { api, worker, work, stop: () => Promise.all([api.stop(), worker.stop(), server.stop()]) }
}

async function costsOf(environment: Environment, client: Client) {
  const [postmaster, running] = [await postmasterOf(client), await begin(environment, client)]
  const { api, worker, work } = running
  const [rounds, jobs] = environment.quick ? [1, 1000] : [5, 3000]
  const costs: (DrainCost & { readonly apiMs: number })[] = []
  const wal = await walCountsOf(client)
  for (let round = 0; round < rounds; round++) {
    const before = cpuMs(api.pid)
    const cost = await measureCost(client, postmaster, worker.pid)
    await work(jobs)
    await wait(SETTLE_MS)
    costs.push({ ...(await cost(jobs)), apiMs: (cpuMs(api.pid) - before) / jobs })
  }
  const imagesNote = noteOfImages(wal, await walCountsOf(client), rounds * jobs)
  await running.stop()
  return { costs, imagesNote }
}

function noteOfImages(before: WalCounts, after: WalCounts, jobs: number): string {
  const [images, kb] = [(after.images - before.images) / jobs, (after.bytes - before.bytes) / jobs / 1000]
  const most = `up to ${(images * PAGE_KB).toFixed(2)} of its ${kb.toFixed(2)} kB of WAL`
  return `a job has ${images.toFixed(3)} full-page images, ${most}; ${after.checkpoints - before.checkpoints} checkpoints began in that time`
}

/** In processes that begin with the counting: what was prepared before is not counted. */
async function countsPerJob(environment: Environment, client: Client) {
  const hasStatements = await beginCounting(client)
  const running = await begin(environment, client)
  const [idle, before] = [await countsOf(client, hasStatements), await countsOf(client, hasStatements)]
  await running.work(COUNTED_JOBS)
  const after = await countsOf(client, hasStatements)
  await running.stop()
  const seconds = (after.at - before.at) / 1000
  const of = (what: 'commits' | 'statements') => {
    const perSecond = rateOf(what, idle, before)
    return { perSecond, perJob: ((after[what] ?? 0) - (before[what] ?? 0) - perSecond * seconds) / COUNTED_JOBS }
  }
  const [commits, statements] = [of('commits'), of('statements')]
  const asked = `${commits.perSecond.toFixed(1)} commits${hasStatements ? ` and ${statements.perSecond.toFixed(1)} statements` : ''}`
  return {
    commits: commits.perJob,
    statements: hasStatements ? statements.perJob : null,
    idleNote: `an idle API and worker have ${asked} a second, which the counts are without`,
  }
}

const rateOf = (what: 'commits' | 'statements', from: Counts, to: Counts): number =>
  ((to[what] ?? 0) - (from[what] ?? 0)) / ((to.at - from.at) / 1000)

/** Each connection sends its next one when it has the answer. Returns the ids of the jobs in the order in which they were accepted. */
async function submitAll(url: string, apiKey: string, jobs: number): Promise<string[]> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const ids: string[] = []
  let left = jobs
  const connection = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await request(`${url}/api/v1/voice/bench`, { method: 'POST', headers, body: BODY })
      const answer = (await body.json()) as { job_id: string }
      if (statusCode !== 202) throw new Error(`a submission was answered with ${statusCode}`)
      ids.push(answer.job_id)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return ids
}
