import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { openDatabase } from '../../src/db/database.ts'
import { foldJobRollUp } from '../../src/jobs/rollup/fold-job-rollup.ts'
import { openLog } from '../../src/values/log.ts'
import { GOALS } from '../goals.ts'
import { quantile, type Row } from '../measure.ts'
import { connected, reseedJobs, settle } from '../seed.ts'
import { submitter } from '../submitter.ts'

const JOBS = 1_000_000
const QUICK_JOBS = 100_000
const READERS = 24
/** Each reader's interval; together they stay within a key's default rate limit. */
const ASKS_EVERY_MS = 2_400
const SECONDS = 10
const ROUNDS = 2
const WARM_UPS = 10
const { p99: MOST } = GOALS.statisticsReaders

/** From the sums, and, since they do not know durations, from the jobs one by one. */
const QUESTIONS = [
  '{ jobStats(groupBy: [DAY]) { day jobs runMs { p50 p95 p99 } } }',
  '{ jobStats(groupBy: [DAY], filter: {durationMs: {from: 1000}}) { day jobs } }',
]

/** Submissions of one account at 40 a second: alone, and while 24 clients of another one read statistics of its 1,000,000 jobs. */
export const statisticsReaders: Row = {
  name: 'statistics-readers',
  what: 'submissions under 24 readers of statistics over 1,000,000 jobs (quick: 100,000)',
  reach: `p99 <= ${MOST} x quiet, none refused`,
  run: async (environment) => {
    const { url } = await environment.database()
    const [other, submitting] = [
      await environment.account('bench readers'),
      await environment.account('bench beside readers'),
    ]
    const jobs = environment.quick ? QUICK_JOBS : JOBS
    await connected(url, (client) => reseedJobs(client, other.accountId, jobs))
    const db = openDatabase(url, openLog('warn'))
    await foldJobRollUp(db).finally(() => db.close())
    await connected(url, settle)
    const service = await environment.serve('serve')
    const submit = submitter(service.url, submitting)
    await submit(() => warmUp(service.url, other.apiKey))
    const times: Record<'quiet' | 'beside', number[]> = { quiet: [], beside: [] }
    const answered: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      times.quiet.push(...(await submit(() => wait(SECONDS * 1000))))
      times.beside.push(...(await submit(async () => answered.push(...(await readAll(service.url, other.apiKey))))))
    }
    await service.stop()
    const [floor, value] = [quantile(times.quiet, 0.99), quantile(times.beside, 0.99)]
    const ratio = value / floor
    const good = answered.filter((status) => status === 200).length
    return {
      name: 'statistics-readers',
      measures: [{ what: 'p99', unit: 'ms', floor, value, ratio, reach: `<= ${MOST} x floor`, reached: ratio <= MOST }],
      notes: [
        `${jobs} jobs; ${times.beside.length} of ${times.beside.length} submissions taken; ${good} statistics, ${answered.length - good} answered 429`,
      ],
    }
  },
}

/** Until submissions and statistics are compiled, as in a service that has run for a while. */
async function warmUp(url: string, apiKey: string): Promise<void> {
  for (let round = 0; round < WARM_UPS; round++) for (const question of QUESTIONS) await ask(url, apiKey, question)
}

/** The statuses of all answers that 24 readers got in ten seconds, in turns. */
async function readAll(url: string, apiKey: string): Promise<number[]> {
  const until = performance.now() + SECONDS * 1000
  const readers = Array.from({ length: READERS }, async (_nothing, index) => {
    const statuses: number[] = []
    await wait((index * ASKS_EVERY_MS) / READERS)
    while (performance.now() < until) {
      const next = wait(ASKS_EVERY_MS)
      statuses.push(await ask(url, apiKey, QUESTIONS[index % QUESTIONS.length] ?? ''))
      await next
    }
    return statuses
  })
  return (await Promise.all(readers)).flat()
}

async function ask(url: string, apiKey: string, query: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const { statusCode, body } = await request(`${url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  })
  const answer = (await body.json()) as { errors?: readonly { extensions?: { code?: string } }[] }
  const code = answer.errors?.[0]?.extensions?.code
  if (code !== undefined && code !== 'RATE_LIMITED') throw new Error(`statistics were answered with ${code}`)
  return code === undefined ? statusCode : 429
}
