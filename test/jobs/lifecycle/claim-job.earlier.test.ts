import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { type Claim, claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { appendText, cutText, openText } from '../../../src/voice/open-text/open-text.ts'
import { audit } from '../../setup/audit/audit.ts'
import { AUDIO } from '../../setup/jobs/jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TEXT = 'This is the first sentence. '
const COST = TEXT.length
const PLENTY = 1000

/** Claims of programs that know no texts that are still written: they charge every job when it begins. */
const EARLIER_CLAIM = `
with taken as materialized (
  select id, account_id, api_key_id, endpoint_key, cost, attempt + 1 as attempt from job
  where id = any($1) and status in ('queued', 'processing') order by id for update
), unpaid as materialized (
  select id, account_id, cost, api_key_id, endpoint_key from taken
  where cost > 0 and not exists (select from credit_entry e where e.job_id = taken.id and e.kind = 'charge')
), total as (
  select account_id, sum(cost) as cost from unpaid group by account_id
), payer as materialized (
  select id from account where id in (select account_id from total) order by id for no key update
), paid as (
  update account a set credits = a.credits - total.cost from total join payer on payer.id = total.account_id
  where a.id = payer.id and a.credits >= total.cost
  returning a.id
), entered as (
  insert into credit_entry (account_id, kind, amount, job_id, api_key_id, endpoint_key)
  select account_id, 'charge', -cost, id, api_key_id, endpoint_key from unpaid where account_id in (select id from paid)
), decided as (
  select *, id not in (select id from unpaid) or account_id in (select id from paid) as funded from taken
), moved as (
  update job j set attempt = decided.attempt, parts_done = null, status = 'processing',
    started_at = coalesce(j.started_at, greatest(now(), created_at))
  from decided where j.id = any($1) and j.id = decided.id and funded
)
select funded from decided`
/** Their ends. */
const EARLIER_END = `
  update job set status = $2::job_status, completed_at = greatest(now(), started_at, created_at), error_code = $3, cause = $3
  where id = $1 and status in ('queued', 'processing')`
const EARLIER_REFUND = `
with refunded as (
  insert into credit_entry (account_id, kind, amount, job_id, api_key_id, endpoint_key)
  select account_id, 'refund', -amount, job_id, api_key_id, endpoint_key from credit_entry where job_id = any($1::text[]) and kind = 'charge'
  on conflict (job_id, kind) do nothing
  returning account_id, job_id, amount
)
update account a set credits = a.credits + total.amount
from (select account_id, sum(amount) as amount from refunded group by account_id) as total where a.id = total.account_id`

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

const query = async <Row extends object>(sql: string, values: unknown[]) =>
  (await service.runtime.db.pool.query<Row>(sql, values)).rows

async function written(credits: number) {
  const account = await service.createAccount(BigInt(credits))
  const actor = { kind: 'account', accountId: account, credits: BigInt(credits) } as const
  const ctx = { ...service.runtime, actor }
  const input = { slug: 'tts', inputs: { voice: 'aria' } }
  const open = async () => openText(ctx, input, [TEXT])
  const money = async () => {
    const [row] = await query<{ credits: string; held: string }>('select credits, held from account where id = $1', [
      account,
    ])
    return { credits: Number(row!.credits), held: Number(row!.held) }
  }
  return { ctx, open, money, text: await open() }
}

const claimEarlier = async (...ids: string[]) =>
  (await query<{ funded: boolean }>(EARLIER_CLAIM, [ids])).map(({ funded }) => funded)
const claim = async (jobId: string) => (await claimJob(service.runtime, jobId)) as Claim
const complete = (own: Claim) =>
  completeJob(service.runtime, own, [{ ...AUDIO, storageKey: `${own.jobId}/${own.attempt}/audio.wav` }])
const endEarlier = (jobId: string) => query(EARLIER_END, [jobId, 'completed', null])
async function failEarlier(jobId: string) {
  await query(EARLIER_END, [jobId, 'failed', 'JOB_CANCELLED'])
  await query(EARLIER_REFUND, [[jobId]])
}
/** Jobs of this file have no sound. */
const violations = async (...ids: string[]) =>
  (await audit(service.runtime, ids)).filter((sentence) => !sentence.includes('artifact'))

test('a text that an earlier worker began and a newer one ends is charged once', async () => {
  const { text, money } = await written(PLENTY)
  expect(await claimEarlier(text.jobId)).toEqual([true])
  const newer = await claim(text.jobId)
  expect(await money()).toEqual({ credits: PLENTY - COST, held: 0 })
  expect(await complete(newer)).toBe(true)
  expect(await money()).toEqual({ credits: PLENTY - COST, held: 0 })
  expect(await violations(text.jobId)).toEqual([])
})

test('a newer claim that waited for the one of an earlier worker holds nothing', async () => {
  const { text, money } = await written(PLENTY)
  const earlier = await service.runtime.db.pool.connect()
  try {
    await earlier.query(BEGIN_HELD)
    await earlier.query(EARLIER_CLAIM, [[text.jobId]])
    const newer = claim(text.jobId)
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await query(waits, [])).length > 0, 20_000, 'the newer claim waits')
    await earlier.query('commit')
    expect(await complete(await newer)).toBe(true)
  } finally {
    earlier.release()
  }
  expect(await money()).toEqual({ credits: PLENTY - COST, held: 0 })
  expect(await violations(text.jobId)).toEqual([])
})

test('a text that an earlier worker began is refunded when a newer one cancels it, and takes no text', async () => {
  const { ctx, text, money } = await written(PLENTY)
  await claimEarlier(text.jobId)
  await expect(appendText(ctx, text, ['More. '])).rejects.toMatchObject({ code: 'JOB_TIMEOUT' })
  await cutText(ctx, text, 4)
  await claim(text.jobId)
  expect(await money()).toEqual({ credits: PLENTY - COST, held: 0 })
  await cancelJob(ctx, { jobId: text.jobId })
  expect(await money()).toEqual({ credits: PLENTY, held: 0 })
  expect(await violations(text.jobId)).toEqual([])
})

test.each([PLENTY, COST])(
  'a text that a newer worker began is charged once by an earlier one, also of %i credits',
  async (credits) => {
    const { text, money } = await written(credits)
    await claim(text.jobId)
    expect(await money()).toEqual({ credits, held: COST })
    expect(await claimEarlier(text.jobId)).toEqual([true])
    expect(await money()).toEqual({ credits: credits - COST, held: 0 })
    await endEarlier(text.jobId)
    expect(await money()).toEqual({ credits: credits - COST, held: 0 })
    expect(await violations(text.jobId)).toEqual([])
  },
)

test('a text that went to an earlier worker and came back is charged once, and refunded once', async () => {
  const { ctx, open, text, money } = await written(2 * COST)
  const other = await open()
  await Promise.all([claim(text.jobId), claim(other.jobId)])
  expect(await claimEarlier(text.jobId, other.jobId)).toEqual([true, true])
  expect(await money()).toEqual({ credits: 0, held: 0 })
  const [ended] = [await claim(text.jobId), await claim(other.jobId)]
  expect(await complete(ended)).toBe(true)
  await cancelJob(ctx, { jobId: other.jobId })
  expect(await money()).toEqual({ credits: COST, held: 0 })
  expect(await violations(text.jobId, other.jobId)).toEqual([])
})

test('a text that an earlier API cancels holds nothing more', async () => {
  const { text, money } = await written(PLENTY)
  await claim(text.jobId)
  await failEarlier(text.jobId)
  expect(await money()).toEqual({ credits: PLENTY, held: 0 })
  expect(await violations(text.jobId)).toEqual([])
})

test('an earlier worker spends no credits that a text holds', async () => {
  const { open, text, money } = await written(2 * COST - 1)
  const own = await claim(text.jobId)
  const other = await open()
  expect(await claimEarlier(other.jobId)).toEqual([false])
  expect(await money()).toEqual({ credits: 2 * COST - 1, held: COST })
  await failEarlier(other.jobId)
  expect(await complete(own)).toBe(true)
  expect(await money()).toEqual({ credits: COST - 1, held: 0 })
  expect(await violations(text.jobId, other.jobId)).toEqual([])
})

test('a failing job keeps the count of its month unlocked until its refund has the account, as a text that grows does', async () => {
  const { ctx, text } = await written(PLENTY)
  const owner = [ctx.actor.accountId]
  const count =
    'select sum(credits)::int as credits from (select credits from monthly_usage where owner_id = $1 for update nowait) u'
  await claimEarlier(text.jobId)
  const failing = await service.runtime.db.pool.connect()
  try {
    await failing.query(BEGIN_HELD)
    await failing.query(EARLIER_END, [text.jobId, 'failed', 'JOB_CANCELLED'])
    expect(await query(count, owner)).toEqual([{ credits: COST }])
    await failing.query(EARLIER_REFUND, [[text.jobId]])
    await failing.query('commit')
  } finally {
    failing.release()
  }
  expect(await query(count, owner)).toEqual([{ credits: 0 }])
})
