import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobsFilter } from '../../../src/jobs/list/jobs-filter.ts'
import { statsOfRows } from '../../../src/jobs/list/stats-of-rows.ts'
import { JOB_MEASURES, type JobGroup, type JobMeasure } from '../../../src/jobs/list/stats-request.ts'
import { fillJobRollUp } from '../../../src/jobs/rollup/fill-job-rollup.ts'
import { foldJobRollUp } from '../../../src/jobs/rollup/fold-job-rollup.ts'
import { percentilesOf } from '../../../src/jobs/rollup/histogram.ts'
import { isRolledUp } from '../../../src/jobs/rollup/rollup-source.ts'
import { histogramsOfRollUp, sumsOfRollUp } from '../../../src/jobs/rollup/stats-of-rollup.ts'
import { newId } from '../../../src/values/id.ts'
import { idAt } from '../../setup/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'

const STEPS = 240
const QUESTIONS = 60
const HOUR_MS = 3_600_000
const START = Date.parse('2026-02-26T07:00:00Z')
const HOURS = 80
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

/** Numbers that look random and are the same at every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Random = () => number
const among = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!
const some = <T>(random: Random, values: readonly T[]): T[] => values.filter(() => random() < 0.4)
const timeIn = (random: Random) => new Date(START + Math.floor(random() * HOURS * HOUR_MS))
const picked = (status: string) =>
  `id in (select id from job where status = '${status}' order by md5(id || $1) limit 3)`

/** One step in the life of some jobs: submitted, claimed, released, completed with audio, failed, cancelled, submitted again, deleted. */
async function live(random: Random): Promise<void> {
  const salt = String(random())
  const submit = () =>
    run(
      `insert into job (id, account_id, type, endpoint_key, api_key_id, inputs, cost, created_at) values ($1, $2, $3, $4, $5, $6, $7,
         to_timestamp($8::float8 / 1000))`,
      (() => {
        const at = timeIn(random)
        const type = among(random, ['voice', 'voice', 'generate', 'companion_chat'])
        const text = 'ä'.repeat(1 + Math.floor(random() * 40))
        const key = among(random, ['key_a', 'key_b', null])
        return [
          idAt(at),
          among(random, accounts),
          type,
          `${type}.${among(random, ['x', 'y'])}`,
          key,
          { text },
          7,
          at.getTime(),
        ]
      })(),
    )
  const claim = () =>
    run(
      `update job set status = 'processing', attempt = attempt + 1, started_at = created_at + ('x' || md5(id))::bit(12)::int * interval '1 ms' where ${picked('queued')}`,
      [salt],
    )
  const release = () => run(`update job set status = 'queued', hand_backs = 1 where ${picked('processing')}`, [salt])
  const progress = () => run(`update job set chunks_done = 1 where ${picked('processing')}`, [salt])
  const complete = async () => {
    const { rows } = await run(
      `update job set status = 'completed', completed_at = started_at + ('x' || md5(id || 'run'))::bit(16)::int * interval '1 ms',
         is_prohibited = case when type = 'companion_chat' then md5(id) < '8' end where ${picked('processing')} returning id`,
      [salt],
    )
    for (const { id } of rows)
      await run(
        `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms) values ($1, $2, 'audio', $2, 'audio/wav', 4, $3, 1500)`,
        [newId('art'), id, randomBytes(32)],
      )
  }
  const fail = (status: string, code: string) =>
    run(
      `update job set status = 'failed', completed_at = created_at + interval '5 s', error_code = '${code}' where ${picked(status)}`,
      [salt],
    )
  const cancel = () => fail('queued', 'JOB_CANCELLED')
  const timeOut = () => fail('processing', 'JOB_TIMEOUT')
  const remove = () => run(`delete from job where ${picked(among(random, ['completed', 'failed', 'queued']))}`, [salt])
  const fold = () => foldJobRollUp(service.runtime.db)
  const steps = [submit, submit, submit, submit, claim, claim, complete, complete, release, progress]
  await among<() => Promise<unknown>>(random, [...steps, timeOut, cancel, remove, fold])()
}

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
    input: { filter: random() < 0.5 ? { ...timed, and: [inside] } : timed, groupBy: some(random, GROUPS), measures },
  }
}

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted()

async function expectEqualAnswers(random: Random, questions: number): Promise<void> {
  for (let n = 0; n < questions; n++) {
    const { account, input } = question(random)
    const [ours, plain] = [sumsOfRollUp(account, input), statsOfRows(account, input)]
    const [summed, counted] = [await run(ours.text, ours.values), await run(plain.text, plain.values)]
    expect(sorted(summed.rows), JSON.stringify(input)).toEqual(sorted(counted.rows))
  }
}

/** As a database is right after the migration: jobs, and nothing known of them. */
async function forget(): Promise<void> {
  await run('delete from job_rollup')
  await run('delete from job_rollup_delta')
  await run(`insert into job_rollup_backlog (filled_to, until) select '', max(id) from job`)
}

describe('statistics of the roll-up', () => {
  test('are those of a plain aggregate after any lives of jobs, folded or not', async () => {
    const random = numbers(7)
    for (let step = 0; step < STEPS; step++) await live(random)
    await expectEqualAnswers(random, QUESTIONS)
    await foldJobRollUp(service.runtime.db)
    expect((await run('select from job_rollup_delta')).rowCount).toBe(0)
    await expectEqualAnswers(random, QUESTIONS)
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
    expect(await fillJobRollUp(service.runtime.db)).toBe(true)
    await run('insert into job_rollup_backlog (filled_to, until) values ($1, $2)', [middle, until])
    for (let step = 0; step < 60; step++) await live(random)
    await expectEqualAnswers(random, QUESTIONS / 2)
    expect(await fillJobRollUp(service.runtime.db)).toBe(true)
    for (let step = 0; step < 30; step++) await live(random)
    await expectEqualAnswers(random, QUESTIONS / 2)
  })

  test('nothing is left of jobs that are all deleted', async () => {
    await run('delete from job')
    await foldJobRollUp(service.runtime.db)
    expect((await run('select from job_rollup')).rowCount).toBe(0)
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
    const input = { groupBy: ['endpoint'] as const, measures: new Set<JobMeasure>(['waitMs', 'runMs']) }
    const plain = statsOfRows(account, input)
    const exact = (await run(plain.text, plain.values)).rows
    for (const fold of [false, true]) {
      if (fold) await foldJobRollUp(service.runtime.db)
      for (const measure of ['waitMs', 'runMs'] as const) {
        const { text, values } = histogramsOfRollUp(account, input, measure)
        const { rows } = await run(text, values)
        expect(rows).toHaveLength(3)
        for (const { endpoint, pairs } of rows) {
          const { p50, p95, p99 } = percentilesOf(pairs)!
          const wanted = exact.find((row) => row.endpoint === endpoint)[measure] as number[]
          for (const [index, value] of [p50, p95, p99].entries())
            expect(Math.abs(value / wanted[index]! - 1), `${measure} ${endpoint}`).toBeLessThanOrEqual(0.045)
        }
      }
    }
  })

  test('answer a window wherever it stands in a filter, and read no job but at its ends', async () => {
    const [from, to] = [new Date(START), new Date(START + HOURS * HOUR_MS)]
    const filter: JobsFilter = { or: [{ createdAt: { from, to } }, { not: { createdAt: { from } } }] }
    expect(isRolledUp(filter)).toBe(true)
    const { text } = sumsOfRollUp(accounts[0]!, { filter, groupBy: [], measures: new Set() })
    // Both windows begin and end with an hour: there is no end to read, but for jobs that no roll-up has yet.
    expect(text.match(/from job where/g)?.length).toBe(text.match(/job_rollup_backlog/g)!.length / 2)
  })
})
