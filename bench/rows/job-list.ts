import { openDatabase } from '../../src/db/database.ts'
import { foldJobRollUp } from '../../src/jobs/rollup/fold-job-rollup.ts'
import { firstIdAt } from '../../src/values/id.ts'
import { openLog } from '../../src/values/log.ts'
import type { Database, Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { requestsPerSecond, responseTime } from '../load.ts'
import { interleaved, latency, type Measure, type Row, throughput } from '../measure.ts'
import { connected, reseedJobs, settle } from '../seed.ts'

const MANY = 1_000_000
const FEW = 10_000
const MS_PER_DAY = 86_400_000
const CONNECTIONS = 8
const { unfiltered: UNFILTERED, queued: QUEUED, filtered: FILTERED, growth: GROWTH, deep: DEEP } = GOALS.list

/** A filter of the list, and the same as SQL; `counted` where the total is to be counted row by row for any reader. */
interface Filter {
  readonly query: string
  readonly where: string
  readonly counted?: true
}

/**
 * The list of an account with 1,000,000 jobs: pages of 50 for each filter next to a bare Fastify route that reads the same page with
 * plain pg; the same next to an account with 10,000 jobs, total included; and an offset of 900,000.
 */
export const jobList: Row = {
  name: 'list',
  what: 'GET jobs, 50 of 1,000,000',
  reach: `>= ${UNFILTERED} (queued ${QUEUED}, other filters ${FILTERED}) of a bare Fastify route with the same page; p50 <= ${GROWTH} x itself at 10,000 jobs; offset 900,000 <= ${DEEP} x`,
  run: async (environment) => {
    const database = await environment.database()
    const small = await environment.account('bench small')
    await filled(database.url, [
      [database.accountId, MANY],
      [small.accountId, FEW],
    ])
    const service = await environment.serve('serve')
    const bare = await environment.floor('jobs-server', { DATABASE_URL: database.url, ACCOUNT_ID: database.accountId })
    const list = `${service.url}/api/v1/jobs`
    const measures: Measure[] = []
    for (const filter of filtersOf(database))
      measures.push(await rate(environment, list, database.apiKey, bare.url, filter))
    for (const filter of filtersOf(database).filter(({ counted }) => counted === undefined)) {
      measures.push(await growth(environment, list, database.apiKey, small.apiKey, filter))
    }
    measures.push(await deep(environment, list, database.apiKey, bare.url))
    await Promise.all([service.stop(), bare.stop()])
    return { name: 'list', measures, notes: ['where no counter knows the total, the floor counts as well'] }
  },
}

const single = (name: string, value: string): Filter => ({ query: `${name}=${value}`, where: `${name} = '${value}'` })

/** A window of time, by days before now: the same as a range of ids, which the floor reads by the primary key's own index. */
function between(now: number, fromDays: number | null, toDays: number | null): Filter {
  const bound = (name: string, sign: string, days: number | null) => {
    if (days === null) return []
    const moment = new Date(now - days * MS_PER_DAY)
    return [{ query: `${name}=${moment.toISOString()}`, where: `id ${sign} '${firstIdAt('job', moment)}'` }]
  }
  const bounds = [...bound('from', '>=', fromDays), ...bound('to', '<', toDays)]
  const joined = (part: 'query' | 'where', by: string) => bounds.map((one) => one[part]).join(by)
  return { query: joined('query', '&'), where: joined('where', ' and '), counted: true }
}

const filtersOf = ({ accountId }: Database): Filter[] => {
  const key = `key_${accountId.slice(5, 30)}1`
  const now = Date.now()
  // Nine hours of jobs.
  const prefix = firstIdAt('job', new Date(now - MS_PER_DAY)).slice(0, 9)
  return [
    { query: '', where: 'true' },
    ...['queued', 'processing', 'completed', 'failed'].map((status) => single('status', status)),
    ...['companion_chat', 'companion_retarget', 'companion_media_tag', 'generate'].map((type) => single('type', type)),
    { query: 'decision=pass', where: 'is_prohibited = false' },
    { query: 'decision=reject', where: 'is_prohibited = true' },
    { ...single('api_key_id', key), counted: true },
    { query: `search=${prefix}`, where: `id >= '${prefix}' and id < '${prefix}zzz'`, counted: true },
    between(now, 1, null),
    between(now, 30, null),
    between(now, null, 270),
    between(now, 60, 30),
    { query: 'status=queued,processing', where: `status in ('queued', 'processing')` },
  ]
}

/** With the roll-up folded, as workers have it within seconds: without them the seeded notes would be added up in every total. */
async function filled(url: string, accounts: readonly (readonly [string, number])[]): Promise<void> {
  await connected(url, async (client) => {
    for (const [account, jobs] of accounts) await reseedJobs(client, account, jobs)
  })
  const db = openDatabase(url, openLog('warn'))
  await foldJobRollUp(db).finally(() => db.close())
  await connected(url, settle)
}

const floorUrl = (url: string, { where, counted }: Filter): string =>
  `${url}/?where=${encodeURIComponent(where)}${counted ? '&count=1' : ''}`

async function rate(
  environment: Environment,
  list: string,
  key: string,
  bare: string,
  filter: Filter,
): Promise<Measure> {
  const seconds = environment.quick ? 1 : 3
  const common = { status: 200, seconds, connections: CONNECTIONS }
  const pairs = await interleaved(environment.quick ? 3 : 5, {
    ours: () => requestsPerSecond({ ...common, url: `${list}?${filter.query}`, headers: bearer(key) }),
    floor: () => requestsPerSecond({ ...common, url: floorUrl(bare, filter) }),
  })
  return throughput(filter.query || 'no filter', 'req/s', pairs, leastOf(filter))
}

const leastOf = ({ query }: Filter): number =>
  query === '' ? UNFILTERED : query === 'status=queued' ? QUEUED : FILTERED

async function growth(
  environment: Environment,
  list: string,
  many: string,
  few: string,
  filter: Filter,
): Promise<Measure> {
  const url = `${list}?${filter.query}`
  return compare(environment, `${filter.query || 'no filter'}, p50 by that of 10,000 jobs`, GROWTH, {
    ours: () => responseTime(url, bearer(many)),
    floor: () => responseTime(url, bearer(few)),
  })
}

const deep = (environment: Environment, list: string, key: string, bare: string): Promise<Measure> =>
  compare(environment, 'offset 900,000, p50', DEEP, {
    ours: () => responseTime(`${list}?offset=900000`, bearer(key)),
    floor: () => responseTime(`${bare}/?offset=900000`, {}),
  })

type Sides = { ours(): Promise<number>; floor(): Promise<number> }

async function compare(environment: Environment, what: string, atMost: number, sides: Sides): Promise<Measure> {
  await interleaved(10, sides)
  return latency(what, await interleaved(environment.quick ? 30 : 100, sides), atMost)
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
