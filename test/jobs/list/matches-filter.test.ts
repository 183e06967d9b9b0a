import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  option,
  property,
  record,
  subarray,
  tuple,
  uniqueArray,
} from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JOB_TYPES } from '../../../src/catalog/job-kinds.ts'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { JOB_TABLES, type Job, PAGE_COLUMNS } from '../../../src/jobs/job-shape.ts'
import { JOB_DECISIONS, JOB_STATUSES } from '../../../src/jobs/job-states.ts'
import {
  conditionsOf,
  DELIVERY_STATES,
  type JobsFilter,
  matchesFilter,
  mayHaveMatched,
  toJobsFilter,
} from '../../../src/jobs/list/jobs-filter.ts'
import { openLog } from '../../../src/values/log.ts'
import { insertDelivery } from '../../setup/jobs/deliveries.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'

const ACCOUNT = 'acct_filters'
const OPENED = Date.UTC(2026, 0, 1)
const JOBS = 60
const FILTERS = 300
const KEYS = ['key_one', 'key_two'] as const
const ENDPOINTS = ['voice.tts', 'generate.portrait', 'chat.companion'] as const
const USERS = ['user_one', 'user_two'] as const
const VOICES = ['calm', 'voice_own', "it's", 'Calm'] as const
const LANGUAGES = ['English', 'German'] as const
const TAGS = ['a,b', '{x}', '"q" \\', 'NULL', 'plain'] as const
const STATES = ['pending', 'succeeded', 'failed'] as const
const ERRORS = ['RENDER_FAILED', 'JOB_CANCELLED', 'PROVIDER_BUSY'] as const
/** The jobs' own times: an implementation may get exact ends of a range wrong. */
const TIMES = [-1, 0, 1, 1_250, 30_000, 30_001, 59_000, 70_000].map((ms) => new Date(OPENED + ms))
const DURATIONS_MS = [0, 1, 1_000, 1_001, 40_000]

let home: TestDatabase
let database: Database
let jobs: Job[]
beforeAll(async () => {
  home = await createTestDatabase()
  database = openDatabase(home.url, openLog('silent'))
  await database.pool.query('insert into account (id, name) values ($1, $2)', [ACCOUNT, 'filters'])
  for (let n = 0; n < JOBS; n++) {
    const createdAt = new Date(OPENED + n * 1_000)
    const jobId = await insertJob(database, ACCOUNT, {
      id: idAt(createdAt),
      type: JOB_TYPES[n % JOB_TYPES.length]!,
      status: JOB_STATUSES[n % 7 < 4 ? n % 7 : 2]!,
      endpointKey: ENDPOINTS[n % 3]!,
      userId: n % 4 === 0 ? (USERS[n % 3] ?? null) : null,
      voice: n % 5 === 0 ? null : VOICES[n % 4]!,
      language: [null, ...LANGUAGES][n % 3] ?? null,
      tags: n % 6 === 0 ? null : TAGS.slice(n % 5, 1 + (n % 5) + (n % 2)),
      apiKeyId: [null, ...KEYS][n % 4] ?? null,
      errorCode: ERRORS[n % 3]!,
      completedAt: new Date(createdAt.getTime() + DURATIONS_MS[n % 5]!),
      ...(n % 3 === 0 ? {} : { isProhibited: n % 3 === 1 }),
    })
    for (const state of STATES.slice(n % 4, (n % 4) + 1 + (n % 2)))
      await insertDelivery(database, { accountId: ACCOUNT, jobId, state })
  }
  const { rows } = await database.pool.query<Job>(
    `select ${PAGE_COLUMNS}, ${DELIVERY_STATES} from ${JOB_TABLES} order by j.id`,
  )
  jobs = rows
})
afterAll(async () => {
  await database.close()
  await home.drop()
})

const some = <T>(values: readonly T[]) => uniqueArray(constantFrom(...values), { minLength: 1, maxLength: 3 })
const range = <T>(ends: readonly T[]) =>
  record({ from: option(constantFrom(...ends)), to: option(constantFrom(...ends)) })
/** Now and then null: most fields have to be left out for a filter to mean any jobs at all. */
const FIELDS = {
  types: option(some(JOB_TYPES)),
  statuses: option(some(JOB_STATUSES)),
  decision: option(constantFrom(...JOB_DECISIONS)),
  endpointKeys: option(some(ENDPOINTS)),
  apiKeyIds: option(some([...KEYS, 'key_of_none'])),
  ids: option(integer({ min: 0, max: JOBS - 1 }).map((n) => [jobs[n]!.id, jobs[(n * 7) % JOBS]!.id, idAt(TIMES[0]!)])),
  userIds: option(some([...USERS, 'user_of_none'])),
  voices: option(some([...VOICES, 'nobody'])),
  languages: option(some(LANGUAGES)),
  tags: option(some([...TAGS, 'of none'])),
  deliveryStates: option(some(STATES)),
  errorCodes: option(some(ERRORS)),
  idPrefix: option(constantFrom('', 'job_', idAt(TIMES[4]!).slice(0, 13), 'job_%', '\u{10ffff}')),
  createdAt: option(range(TIMES)),
  completedAt: option(range(TIMES)),
  durationMs: option(range(DURATIONS_MS)),
}

/** Filters of at most two fields each, combined with others down to a depth. */
const filters = (depth: number): Arbitrary<JobsFilter> =>
  tuple(
    subarray(Object.keys(FIELDS) as (keyof typeof FIELDS)[], { maxLength: 2 }),
    record(FIELDS),
    depth === 0 ? constant({}) : combinations(depth - 1),
  ).map(([names, values, combined]) => ({
    ...Object.fromEntries(names.map((name) => [name, values[name]])),
    ...combined,
  }))

const combinations = (depth: number): Arbitrary<JobsFilter> =>
  record(
    {
      and: array(filters(depth), { maxLength: 2 }),
      or: array(filters(depth), { minLength: 1, maxLength: 3 }),
      not: filters(depth),
    },
    { requiredKeys: [] },
  )

async function selected(wanted: JobsFilter): Promise<string[]> {
  const values: unknown[] = [ACCOUNT]
  const conditions = ['account_id = $1', ...conditionsOf(wanted, (value) => `$${values.push(value)}`)]
  const text = `select id from job where ${conditions.join(' and ')} order by id`
  return (await database.pool.query<{ id: string }>(text, values)).rows.map(({ id }) => id)
}

const matched = (wanted: JobsFilter): string[] => jobs.filter((job) => matchesFilter(wanted, job)).map(({ id }) => id)

describe('a filter of jobs', () => {
  test('means the same jobs in memory as in SQL, whatever it is made of', async () => {
    let [none, all] = [0, 0]
    await assert(
      asyncProperty(filters(2), async (wanted) => {
        const found = await selected(wanted)
        if (found.length === 0) none++
        if (found.length === JOBS) all++
        expect(matched(wanted)).toEqual(found)
      }),
      { numRuns: FILTERS },
    )
    // Filters that mean some of the jobs are what the comparison is about.
    expect(FILTERS - none - all).toBeGreaterThan(FILTERS / 10)
  })

  test('may have matched each deleted job that it did match, and is sure of some that it did not', () => {
    const ended = jobs.filter(({ status }) => status === 'completed' || status === 'failed')
    let excluded = 0
    assert(
      property(filters(2), (wanted) => {
        for (const job of ended) {
          const mayHave = mayHaveMatched(wanted, job.id)
          if (matchesFilter(wanted, job)) expect(mayHave).toBe(true)
          if (!mayHave) excluded++
        }
      }),
      { numRuns: FILTERS },
    )
    expect(excluded).toBeGreaterThan(FILTERS)
    const [{ id }] = ended as [Job]
    expect(mayHaveMatched({ statuses: ['queued', 'processing'] }, id)).toBe(false)
    expect(mayHaveMatched({ not: { statuses: ['completed', 'failed'] } }, id)).toBe(false)
    expect(mayHaveMatched({ not: { statuses: ['completed'] } }, id)).toBe(true)
  })

  test.each([
    ['nothing', {}, JOBS],
    ['a type', { type: 'voice' }, 12],
    ['a verdict', { decision: 'pass' }, 20],
    ['statuses', { status: ['queued', 'processing'] }, 18],
    ['a key', { apiKeyId: 'key_two' }, 15],
    ['a prefix', { search: 'job_' }, JOBS],
    ['no prefix', { search: '' }, JOBS],
    ['a window', { from: TIMES[1]!, to: TIMES[4]! }, 30],
    ['half a window', { from: TIMES[4]! }, 30],
    ['all at once', { type: 'voice', decision: 'pass', from: TIMES[1]! }, 4],
  ] as const)('in parameters means the jobs that it names: %s', async (_what, parameters, count) => {
    const wanted = toJobsFilter(parameters)
    expect([(await selected(wanted)).length, matched(wanted).length]).toEqual([count, count])
  })
})
