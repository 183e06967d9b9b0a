import type { QueryConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statsOfRollUp, statsOfRows } from '../../../src/jobs/list/job-stats.ts'
import type { JobsFilter } from '../../../src/jobs/list/jobs-filter.ts'
import { JOB_MEASURES, type JobGroup, type JobMeasure } from '../../../src/jobs/list/stats-request.ts'
import { fillJobRollUp, foldJobRollUp } from '../../../src/jobs/rollup/fold-job-rollup.ts'
import { hasAllEvents, isRolledUp } from '../../../src/jobs/rollup/rollup-source.ts'
import { eventSeriesQuery, type SeriesRow, seriesQuery } from '../../../src/jobs/series/series-query.ts'
import {
  among,
  HOUR_MS,
  HOURS,
  live as liveOf,
  numbers,
  type Random,
  START,
  some,
  timeIn,
} from '../../setup/jobs/job-lives.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const STEPS = 240
const QUESTIONS = 60
const SERIES = 25
const SUMS = JOB_MEASURES.filter((measure) => !measure.endsWith('Ms'))
const GROUPS: readonly JobGroup[] = ['type', 'status', 'endpoint', 'api_key', 'error_code', 'hour', 'day']

let service: TestRuntime
let accounts: string[]
beforeAll(async () => {
  service = await startTestRuntime()
  accounts = [await service.createAccount(), await service.createAccount()]
})
afterAll(() => service.close())

const run = (sql: string, values: unknown[] = []) => service.runtime.db.pool.query(sql, values)
const ask = (query: QueryConfig) => service.runtime.db.pool.query(query)
const live = (random: Random, isFolded = true) => liveOf(service.runtime, accounts, random, isFolded)

function question(random: Random) {
  const filter: JobsFilter = {
    ...(random() < 0.3 && { types: ['voice', 'companion_chat'] as const }),
    ...(random() < 0.2 && { statuses: ['completed'] as const }),
    ...(random() < 0.2 && { apiKeyIds: ['key_a'] }),
    ...(random() < 0.1 && { decision: 'reject' as const }),
    ...(random() < 0.2 && { not: { endpointKeys: ['voice.x'], or: [{ apiKeyIds: ['key_b'] }, { types: ['voice'] }] } }),
  }
  const [from, to] = [timeIn(random), timeIn(random)].toSorted((a, b) => a.getTime() - b.getTime())
  const createdAt = { from: random() < 0.6 ? from : null, to: random() < 0.6 ? to : null }
  const measures = new Set<JobMeasure>(some(random, SUMS))
  const timed = random() < 0.5 ? { ...filter, createdAt } : filter
  const [one, other] = [timeIn(random), timeIn(random)]
  const voices = { types: ['voice'] as const, createdAt: { to: one } }
  const inside = among<JobsFilter>(random, [
    { and: [{ createdAt: { from: one } }, { not: { createdAt: { from: other } } }] },
    { or: [voices, { apiKeyIds: ['key_b'], createdAt: { from: other } }] },
    { not: { or: [voices, { createdAt: { from: other, to: other } }] } },
    { or: [{ createdAt: { from: one } }, { createdAt: { to: one } }] },
  ])
  return {
    account: among(random, accounts),
    input: {
      ...{ filter: random() < 0.5 ? { ...timed, and: [inside] } : timed, groupBy: some(random, GROUPS), measures },
      timeZone: among(random, [null, 'UTC', 'Europe/Berlin', 'America/New_York']),
    },
  }
}

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted()

async function expectEqualAnswers(random: Random, questions: number): Promise<void> {
  for (let n = 0; n < questions; n++) {
    const { account, input } = question(random)
    const withEvents = n % 2 === 0 && (await hasAllEvents(service.runtime.db))
    const [ours, plain] = [statsOfRollUp(account, input, withEvents), statsOfRows(account, input)]
    const [summed, counted] = [await ask(ours), await ask(plain)]
    expect(sorted(summed.rows), JSON.stringify(input)).toEqual(sorted(counted.rows))
  }
}

/** The comparable part of a series: the events of its steps, and the number of jobs that waited before them. */
function series(rows: readonly SeriesRow[], steps: number) {
  const before = (event: string) => rows.find((row) => row.step === 0 && row.event === event)?.jobs ?? 0
  return {
    waiting: before('accepted') - before('started') - before('dropped'),
    steps: sorted(
      rows.flatMap(({ step, event, jobs, audioMs, pairs, credits, characters }) =>
        step > 0 && step <= steps && [jobs, audioMs, credits, characters].some((sum) => sum !== 0)
          ? [{ step, event, jobs, audioMs, credits, characters, pairs: pairs ?? [] }]
          : [],
      ),
    ),
  }
}

async function expectEqualSeries(random: Random, questions: number): Promise<void> {
  for (let n = 0; n < questions; n++) {
    const { account, input } = question(random)
    const { createdAt: _time, and: _more, ...filter } = input.filter
    const byDay = random() < 0.5
    const hours = byDay ? 24 : 1 + Math.floor(random() * 5)
    const first = byDay ? Date.parse('2026-02-26T00:00:00Z') : START + Math.floor(random() * 20) * HOUR_MS
    const starts = Array.from({ length: 3 }, (_step, index) => new Date(first + index * hours * HOUR_MS))
    const end = new Date(first + (3 * hours - (byDay ? 2 : 0)) * HOUR_MS)
    const used = among<JobsFilter>(random, [
      {},
      { types: ['voice'] },
      { types: ['voice'], statuses: ['failed'] },
      filter,
      filter,
    ])
    // Null: all accounts.
    const owner = random() < 0.2 ? null : account
    const ours = eventSeriesQuery({ owner, starts, end, filter: used })
    const plain = seriesQuery({ owner, starts, to: end, filter: used, withAudio: true, withCharacters: true })
    const [summed, read] = [await ask(ours), await ask(plain)]
    expect(series(summed.rows, 3), JSON.stringify({ owner, used, starts, end })).toEqual(series(read.rows, 3))
  }
}

/** As a database has jobs from before there were sums: nothing is known of them. */
async function forget(): Promise<void> {
  await run('delete from job_rollup')
  await run('delete from job_rollup_delta')
  await run('delete from job_event')
  await run(`insert into job_rollup_backlog (filled_to, until) select '', max(id) from job`)
  await run(`insert into job_event_backlog (filled_to, until) select '', max(id) from job`)
}

/** The acceptances in one of both tables, by hour and day, for all jobs and for each type and status. */
async function acceptances(table: 'job_rollup' | 'job_event'): Promise<unknown[]> {
  const sums =
    'sum(jobs)::int as jobs, sum(credits)::int as credits, sum(characters)::int as said, sum(audio_ms)::int as audio'
  const some = `(sum(jobs), sum(credits), sum(characters), sum(audio_ms)) is distinct from (0::numeric, 0::numeric, 0::numeric, 0::numeric)`
  const read = (breadth: string, more: string) => {
    const where = table === 'job_event' ? `kind = 'accepted' and breadth = '${breadth}'` : `span <> 'all'`
    return run(`select account_id, span, at${more}, ${sums} from ${table} where ${where} group by account_id, span, at${more} having ${some}
      order by account_id, span, at${more}`)
  }
  return [(await read('all', '')).rows, (await read('type_status', ', type, status')).rows]
}

describe('statistics of the roll-up', () => {
  test('are those of a plain aggregate after any lives of jobs, folded or not', async () => {
    const random = numbers(7)
    for (let step = 0; step < STEPS; step++) await live(random, step < STEPS / 2)
    await expectEqualAnswers(random, QUESTIONS)
    await expectEqualSeries(random, SERIES)
    await foldJobRollUp(service.runtime.db)
    expect((await run('select from job_rollup_delta')).rowCount).toBe(0)
    await expectEqualAnswers(random, QUESTIONS)
    await expectEqualSeries(random, SERIES)
  })

  test('are exact at every moment while jobs from before the roll-up are added to it', async () => {
    const random = numbers(8)
    for (let step = 0; step < STEPS / 2; step++) await live(random)
    await forget()
    await expectEqualAnswers(random, 10)
    for (let step = 0; step < 30; step++) await live(random)
    // Half-way, as a process that is killed leaves it.
    const { rows } = await run(`select id from job order by id limit 1 offset (select count(*) / 2 from job)`)
    const middle = rows[0].id as string
    const [until] = (await run('select until from job_rollup_backlog')).rows.map((row) => row.until as string)
    await run('update job_rollup_backlog set until = $1', [middle])
    expect(await fillJobRollUp(service.runtime.db, -1)).toBe(false)
    await run('insert into job_rollup_backlog (filled_to, until) values ($1, $2)', [middle, until])
    for (let step = 0; step < 60; step++) await live(random)
    await expectEqualAnswers(random, QUESTIONS / 2)
    expect(await hasAllEvents(service.runtime.db)).toBe(false)
    await run('update job_event_backlog set until = $1', [middle])
    expect(await fillJobRollUp(service.runtime.db)).toBe(true)
    await run('insert into job_event_backlog (filled_to, until) values ($1, $2)', [middle, until])
    for (let step = 0; step < 60; step++) await live(random)
    expect(await fillJobRollUp(service.runtime.db)).toBe(true)
    expect(await hasAllEvents(service.runtime.db)).toBe(true)
    for (let step = 0; step < 30; step++) await live(random)
    await expectEqualAnswers(random, QUESTIONS / 2)
    await expectEqualSeries(random, SERIES)
  })

  test('have the same acceptances in the roll-up and the events, and every event by type and status as well as by everything', async () => {
    const random = numbers(9)
    // The roll-up alone gets what is noted of jobs before they are among the events, whenever it is folded.
    await forget()
    expect(await fillJobRollUp(service.runtime.db, -1)).toBe(false)
    for (let step = 0; step < STEPS / 4; step++) await live(random, false)
    expect(await fillJobRollUp(service.runtime.db)).toBe(true)
    expect((await run('select from job_rollup_delta where not in_events')).rowCount).toBeGreaterThan(0)
    for (let step = 0; step < STEPS / 4; step++) await live(random)
    await foldJobRollUp(service.runtime.db)
    expect(await acceptances('job_event')).toEqual(await acceptances('job_rollup'))
    const summed = (breadth: string) =>
      run(`select account_id, span, at, kind, type, status, sum(jobs)::int as jobs, sum(audio_ms)::int as audio, sum(wait_sum) as wait,
        sum(run_sum) as run from job_event where breadth = '${breadth}' and kind <> 'accepted' group by 1, 2, 3, 4, 5, 6
        having sum(jobs) <> 0 order by 1, 2, 3, 4, 5, 6`)
    expect((await summed('type_status')).rows).toEqual((await summed('each')).rows)
    await expectEqualAnswers(random, QUESTIONS)
    await expectEqualSeries(random, SERIES)
  })

  test('nothing is left of jobs that are all deleted', async () => {
    await run('delete from job')
    await foldJobRollUp(service.runtime.db)
    expect((await run('select from job_rollup')).rowCount).toBe(0)
    expect((await run('select from job_event')).rowCount).toBe(0)
    expect((await run('select from artifact')).rowCount).toBe(0)
  })

  test('percentiles are within 4.5 % of the exact ones, for each group', async () => {
    const [account = ''] = accounts
    await run(
      `insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, started_at, completed_at)
       select 'job_0' || lpad(n::text, 25, '0'), $1, 'voice', 'voice.' || n % 3, 'completed', '{}', at, at + (n % 7) * interval '1 ms',
         at + (n % 7) * interval '1 ms' + (power(1.0007, n)::int + n % 11) * interval '1 ms'
       from (select n, to_timestamp($2::float8 / 1000) + n * interval '1 s' as at from generate_series(1, 12000) n) t`,
      [account, START],
    )
    const differences = async (groupBy: readonly JobGroup[], withEvents: boolean) => {
      const input = { groupBy, measures: new Set<JobMeasure>(['waitMs', 'runMs']) }
      const plain = statsOfRows(account, input)
      const exact = (await ask(plain)).rows
      const ours = statsOfRollUp(account, input, withEvents)
      const { rows } = await ask(ours)
      expect(rows).toHaveLength(exact.length)
      expect(ours.text.includes('job_event')).toBe(withEvents)
      return (['waitMs', 'runMs'] as const).map((measure) =>
        rows.flatMap((group) => {
          const { p50, p95, p99 } = group[measure]
          const wanted = exact.find((row) => groupBy.every((name) => `${row[name]}` === `${group[name]}`))
          return [p50, p95, p99].map((value, index) => Math.abs(value / wanted[measure][index] - 1))
        }),
      )
    }
    const most = async (...given: Parameters<typeof differences>) => Math.max(...(await differences(...given)).flat())
    expect(await most(['endpoint'], false)).toBeLessThanOrEqual(0.045)
    await foldJobRollUp(service.runtime.db)
    expect(await most(['endpoint'], false)).toBeLessThanOrEqual(0.045)
    for (const groups of [['day'], ['hour'], ['day', 'type', 'status']] as const)
      expect(await most(groups, true)).toBeLessThanOrEqual(0.045)
  })

  test('sums by hour are read from a row for each hour, by endpoint as well from the roll-up', () => {
    const textOf = (groupBy: readonly JobGroup[]) =>
      statsOfRollUp(accounts[0]!, { groupBy, measures: new Set(SUMS) }, true).text
    expect(textOf(['hour'])).toMatch(/from job_event .* breadth = 'all'/)
    expect(textOf(['hour', 'status'])).toMatch(/from job_event .* breadth = 'type_status'/)
    expect(textOf(['hour', 'endpoint'])).not.toContain('job_event')
  })

  test('of too many groups no more are made than show that', async () => {
    const [account = ''] = accounts
    await run(
      `insert into job_rollup (account_id, span, at, type, status, decision, endpoint_key, jobs, credits, characters, audio_ms, wait, run)
       select $1, 'hour', to_timestamp($2::float8 / 1000) + h * interval '1 hour', 'voice', 'completed', 'none', 'voice.' || e, 1, 0, 0, 0, '{}', '{}'
       from generate_series(1, 8000) h, generate_series(1, 5) e`,
      [account, START - 9_000 * HOUR_MS],
    )
    await run('analyze job_rollup')
    const { text, values } = statsOfRollUp(account, { groupBy: ['endpoint', 'hour'], measures: new Set(SUMS) }, true)
    const { rows } = await run(`explain (analyze, format json) ${text}`, [...values])
    const read = [...JSON.stringify(rows).matchAll(/"Relation Name":"job_rollup".*?"Actual Rows":([\d.]+)/g)].map(
      ([, n]) => Number(n),
    )
    expect(Math.max(...read)).toBeGreaterThan(10_000)
    expect(Math.max(...read)).toBeLessThan(11_000)
    await run(`delete from job_rollup where account_id = $1 and at < $2`, [account, new Date(START - 500 * HOUR_MS)])
  })

  test('answer a window wherever it stands in a filter, and read no job but at its ends', async () => {
    const [from, to] = [new Date(START), new Date(START + HOURS * HOUR_MS)]
    const filter: JobsFilter = { or: [{ createdAt: { from, to } }, { not: { createdAt: { from } } }] }
    expect(isRolledUp(filter)).toBe(true)
    const { text } = statsOfRollUp(accounts[0]!, { filter, groupBy: [], measures: new Set() }, false)
    // Both windows begin and end with an hour: there is no end to read, but for jobs that no roll-up has yet.
    expect(text.match(/from job where/g)?.length).toBe(text.match(/job_rollup_backlog/g)!.length / 2)
  })
})
