import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClaimedRow, jobRowClaim } from '../../../src/jobs/lifecycle/claim-job.ts'
import { voiceKind } from '../../../src/queue/job-kind.ts'
import { fairSource } from '../../../src/queue/pgboss/fair-source.ts'
import { call } from '../../setup/http.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { askedThrough } from '../../setup/postgres/asked-through.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

/** Reading 20,000 rows by an index takes about 20,000 of them, by the table 700. */
const FEW_PAGES = 250
const TAKEN = 20_000
const TIMEOUT_MS = 60_000
const FULL_SERVER = 'http://full.invalid'

describe('a claim', () => {
  let service: TestRuntime
  let client: PoolClient
  beforeAll(async () => {
    service = await startTestRuntime()
    client = await service.runtime.db.pool.connect()
  })
  afterAll(async () => {
    client.release()
    await service.close()
  })

  const query = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
  const submitTo = async (slug: string): Promise<string> => {
    await applyEndpoint(service.runtime, slug, { pool: slug, max_in_flight: 1 })
    const { key } = await service.createCaller()
    return submitText(service.url, key, slug, 'A job like any other.')
  }
  const claim = (queue: string, prefix = '') =>
    query(`${prefix} select * from claim_queued($1, 4, '', 'w', $2)`, [queue, JSON.stringify({ [FULL_SERVER]: 0 })])
  const pagesOf = async (queue: string): Promise<number> => {
    const { Plan } = (await claim(queue, 'explain (analyze, buffers, format json)'))[0]['QUERY PLAN'][0]
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
  }
  /** Claims the one job there is, then has others come, and the job again. */
  const flood = async (slug: string, server: string | null): Promise<void> => {
    const jobId = await submitTo(slug)
    expect(await claim(`voice.${slug}`)).toMatchObject([{ job_id: jobId }])
    await query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy)
       select name, '{"jobId":"job_none"}', 'acct_other', coalesce($2, group_tier), retry_limit, policy
       from pgboss.job, generate_series(1, 20000) where data->>'jobId' = $1`,
      [jobId, server],
    )
    await query(`update pgboss.job set state = 'created' where data->>'jobId' = $1`, [jobId])
  }

  test('reads a few pages only, though 20,000 jobs have come since its connection planned it', async () => {
    await flood('deep', null)
    expect(await pagesOf('voice.deep')).toBeLessThan(FEW_PAGES)
    expect(await claim('voice.deep')).toHaveLength(4)
    expect(await pagesOf('voice.deep')).toBeLessThan(FEW_PAGES)
  })

  test('reads a few pages only among 20,000 jobs that wait for a server without capacity', async () => {
    await flood('beside', FULL_SERVER)
    expect(await pagesOf('voice.beside')).toBeLessThan(FEW_PAGES)
    expect(await claim('voice.beside')).toEqual([])
    expect(await pagesOf('voice.beside')).toBeLessThan(FEW_PAGES)
  })

  describe('while a snapshot stays open', () => {
    let holder: PoolClient
    let jobId: string
    beforeAll(async () => {
      jobId = await submitTo('pinned')
      holder = await service.runtime.db.pool.connect()
      await holder.query(`${BEGIN_HELD}; set transaction isolation level repeatable read`)
      await holder.query('select from job limit 1')
      // An hour's jobs of 20 accounts, which were taken.
      await query(
        `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, created_on, start_after)
         select name, '{"jobId":"job_none"}', 'acct_' || n % 20, group_tier, retry_limit, policy, at, at
         from pgboss.job, generate_series(1, ${TAKEN}) n, lateral (select created_on - interval '1 hour' + n * interval '0.1 s') made(at)
         where data->>'jobId' = $1`,
        [jobId],
      )
      await query(`update pgboss.job set state = 'active' where name = 'voice.pinned' and data->>'jobId' = 'job_none'`)
      await query(`delete from pgboss.job where name = 'voice.pinned' and data->>'jobId' = 'job_none'`)
      await query('vacuum analyze pgboss.job_common')
    })
    afterAll(async () => {
      await holder.query('commit')
      holder.release()
    })

    const SINCE = `now() - interval '10 s'`
    const claimSince = (prefix = '', since = SINCE) =>
      query(
        `${prefix} select * from claim_queued('voice.pinned', 4, 'acct_7', 'w', jsonb_build_object('${FULL_SERVER}', 0, 'since', ${since}))`,
      )
    const pages = async (text: string): Promise<number> => {
      const { Plan } = (await query(`explain (analyze, buffers, format json) ${text}`))[0]['QUERY PLAN'][0]
      return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
    }
    const pagesOfClaim = async (since = SINCE) => {
      const { Plan } = (await claimSince('explain (analyze, buffers, format json)', since))[0]['QUERY PLAN'][0]
      return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
    }
    /** Jobs of two accounts, the second behind many of the first. */
    const queueMany = (count: number) =>
      query(
        `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, created_on, start_after)
         select name, jsonb_build_object('jobId', 'job_' || n), case n when $2 then 'acct_last' else 'acct_3' end, group_tier, retry_limit, policy,
           now() + n * interval '1 us', now()
         from pgboss.job, generate_series(1, $2::integer) n where data->>'jobId' = $1`,
        [jobId, count],
      )

    test('a claim and the poll read few pages, though 20,000 jobs were taken meanwhile', async () => {
      expect(await pages(`select * from due_queues('{voice.pinned}', array[${SINCE}])`)).toBeLessThan(FEW_PAGES)
      expect(await pages(`select * from take_due('voice.pinned', ${SINCE}, 4, '{}')`)).toBeLessThan(FEW_PAGES)
      expect(await pagesOfClaim()).toBeLessThan(FEW_PAGES)
      // Without a lower bound it walks over them.
      expect(await pagesOfClaim('null::timestamptz')).toBeGreaterThan(FEW_PAGES)
      await query(`update pgboss.job set state = 'created', start_after = now() where data->>'jobId' = $1`, [jobId])
      expect(await query(`select queue, is_due from due_queues('{voice.pinned}', array[${SINCE}])`)).toEqual([
        { queue: 'voice.pinned', is_due: true },
      ])
      expect(await claimSince()).toMatchObject([{ job_id: jobId }])
    })

    test('a long queue costs no page for each job that was taken, and its accounts and returned jobs take turns', async () => {
      await queueMany(300)
      await query(
        `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, created_on, state)
         select name, '{"jobId":"job_back"}', 'acct_back', group_tier, retry_limit, policy, now() - interval '2 hours', 'retry'
         from pgboss.job where data->>'jobId' = $1`,
        [jobId],
      )
      const taken = (await claimSince()).map(({ account_id: account }) => account)
      expect(taken.sort()).toEqual(['acct_3', 'acct_3', 'acct_back', 'acct_last'])
      expect(await pagesOfClaim()).toBeLessThan(TAKEN / 10)
      await query(`delete from pgboss.job where name = 'voice.pinned' and data->>'jobId' <> $1`, [jobId])
    })

    test('a job that a long transaction queued in the past is found by a look without a lower bound', async () => {
      const past = `now() - interval '5 minutes'`
      await query(`update pgboss.job set state = 'created', start_after = ${past} where data->>'jobId' = $1`, [jobId])
      const due = (since: string) =>
        query(
          `select is_due, first_due < now() - interval '4 minutes' as old from due_queues('{voice.pinned}', array[${since}])`,
        )
      expect(await due(SINCE)).toEqual([{ is_due: false, old: null }])
      expect(await due('null::timestamptz')).toEqual([{ is_due: true, old: true }])
      expect(await claimSince('', `${past} - interval '10 s'`)).toMatchObject([{ job_id: jobId }])
    })
  })

  test('takes jobs for several servers without a limit by turns of their accounts, not by the servers’ names', async () => {
    await query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, created_on)
       select job.name, jsonb_build_object('jobId', made.account || made.n), made.account, made.server, 2, job.policy, now() + made.n * interval '1 ms'
       from (select name, policy from pgboss.job limit 1) job,
         (select 'acct_b' as account, 'sherpa-onnx' as server, 0 as n
          union all select 'acct_a', 'espeak', n from generate_series(1, 12) n) made`,
    )
    const [{ name }] = await query(`select name from pgboss.job where group_id = 'acct_b'`)
    const taken: string[] = []
    for (let n = 0; n < 4; n++) {
      const text = `select job_id, account_id from claim_queued($1, 1, $2, 'w', '{"espeak": 4, "sherpa-onnx": 4, "": 0}')`
      const [{ account_id: account }] = await query(text, [name, taken.at(-1) ?? ''])
      taken.push(account)
    }
    expect(taken).toEqual(['acct_a', 'acct_b', 'acct_a', 'acct_a'])
  })

  test('takes no awaited job of an account that has no room, and the other jobs of it', async () => {
    await query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, priority)
       select job.name, jsonb_build_object('jobId', made.account), made.account, 'alike', 2, job.policy, made.priority
       from (select name, policy from pgboss.job limit 1) job,
         (values ('full_1', 10), ('full_1', 0), ('full_2', 10), ('last', 10), ('first', 10)) made (account, priority)`,
    )
    const [{ name }] = await query(`select name from pgboss.job where group_id = 'full_2'`)
    const rooms = { alike: 1, awaited: { alike: 1, '': 0 }, full: ['full_1', 'full_2'], '': 0 }
    const taken: string[] = []
    for (const after of ['x first', 'x', 'x']) {
      const text = `select account_id from claim_queued($1, 2, $2, 'w', $3)`
      taken.push(...(await query(text, [name, after, JSON.stringify(rooms)])).map(({ account_id: account }) => account))
    }
    expect(taken.sort()).toEqual(['first', 'full_1', 'last'])
  })

  test('waits for the disk, as the charges of its jobs are committed with it', async () => {
    await query('begin')
    await claim('voice.nobody')
    expect(await query('show synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
    await query('commit')
  })
})

describe('a claim with the rows of its jobs', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(() => service.close())

  const query = async (text: string, values: unknown[] = []) => (await service.runtime.db.pool.query(text, values)).rows
  /** Jobs of an account of their own, each of 10 credits. */
  const submitTo = async (pool: string, count: number) => {
    await applyEndpoint(service.runtime, pool, { pool })
    const { key, account } = await service.createCaller(1000n)
    const jobs: string[] = []
    for (let n = 0; n < count; n++) jobs.push(await submitText(service.url, key, pool, 'Ten chars.'))
    return { account, jobs }
  }
  const take = async (pool: string, rowClaim = jobRowClaim) => {
    const { db, workerId } = service.runtime
    const source = fairSource({ db, workerId, kind: voiceKind(pool), rowClaim })
    const { deliveries } = await source.take(8, [])
    return deliveries.map(({ jobId, claimed }) => [jobId, claimed && (claimed.row as ClaimedRow).attempt])
  }
  const statesOf = async (jobs: readonly string[]) =>
    (await query('select status, attempt from job where id = any($1) order by id', [jobs])).map(Object.values)
  const spentBy = async (account: string) =>
    Number((await query('select 1000 - credits as spent from account where id = $1', [account]))[0].spent)

  test('takes, charges and begins them in one statement', async () => {
    const { account, jobs } = await submitTo('whole', 2)
    expect(await take('whole')).toEqual(jobs.map((id) => [id, 1]))
    expect(await statesOf(jobs)).toEqual([
      ['processing', 1],
      ['processing', 1],
    ])
    expect(await spentBy(account)).toBe(20)
  })

  test('a source that left nothing asks again once something is queued, and asks on while it may have left something', async () => {
    const { jobs } = await submitTo('emptied', 4)
    let asked = 0
    const db = askedThrough(service.runtime.db, (text, ask, ...given) => {
      asked += Number(text.includes('claim_queued('))
      return ask(...given)
    })
    let free = 3
    const room = (isAwaited: boolean) => ({ isAwaited, free, limits: new Map([['', free]]), full: [] })
    const rooms = () => [room(true), room(false)]
    const source = fairSource({ db, workerId: service.runtime.workerId, kind: voiceKind('emptied'), rooms })
    const take = async () => (await source.take(2 * free, [])).deliveries.map(({ jobId }) => jobId)
    expect([await take(), source.left({ id: '', retryCount: 0, jobId: '' }, 1)]).toEqual([jobs.slice(0, 3), true])
    expect([await take(), source.left({ id: '', retryCount: 0, jobId: '' }, 1)]).toEqual([jobs.slice(3), false])
    expect([await take(), asked]).toEqual([[], 2])
    source.invalidate?.()
    free = 0
    await take()
    free = 3
    await take()
    expect([await take(), asked]).toEqual([[], 4])
  })

  test('jobs that somebody waits for come first, their accounts in turn, and each fourth is one of the others', async () => {
    const slug = 'awaited'
    await applyEndpoint(service.runtime, slug, { pool: slug })
    const callers = [await service.createCaller(1000n), await service.createCaller(1000n)] as const
    const names = new Map<string, string>()
    const live = async (key: string) => {
      const query = `mutation { submitVoiceJob(slug: "${slug}", inputs: {text: "Hi.", voice: "calm"}, live: true) { ... on VoiceJobSubmission { jobId } } }`
      const answer = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query } })
      return answer.json<{ data: { submitVoiceJob: { jobId: string } } }>().data.submitVoiceJob.jobId
    }
    const [one, other] = callers
    for (let n = 0; n < 12; n++) names.set(await submitText(service.url, one.key, slug, 'A long chapter.'), 'one')
    for (let n = 0; n < 2; n++) names.set(await submitText(service.url, other.key, slug, 'A long chapter.'), 'other')
    for (let n = 0; n < 5; n++) names.set(await live(one.key), 'ONE')
    for (let n = 0; n < 2; n++) names.set(await live(other.key), 'OTHER')
    const { db, workerId } = service.runtime
    const source = fairSource({ db, workerId, kind: voiceKind(slug) })
    const take = async (free: number) =>
      (await source.take(free, [])).deliveries.map(({ jobId }) => names.get(jobId) as string)
    const taken: string[] = []
    for (let n = 0; n < 12; n++) taken.push(...(await take(1)))
    const isLive = (name: string) => name === name.toUpperCase()
    expect(taken.map((name) => (isLive(name) ? 'L' : '-')).join('')).toBe('LLL-LLL-L---')
    const [first, ...others] = one.account < other.account ? ['ONE', 'OTHER'] : ['OTHER', 'ONE']
    expect(taken.filter(isLive).slice(0, 4)).toEqual([first, ...others, first, ...others])
    expect(new Set(taken.filter((name) => !isLive(name)))).toEqual(new Set(['one', 'other']))
    // One that comes now is claimed next, whatever waits, and with many slots beside the others.
    names.set(await live(one.key), 'ONE')
    expect(await take(1)).toEqual(['ONE'])
    for (let n = 0; n < 6; n++) names.set(await live(other.key), 'OTHER')
    expect((await take(8)).filter(isLive)).toHaveLength(6)
  })

  test('jobs that somebody waits for have room of their own, which no other fills; an older process has one room for both', async () => {
    const slug = 'apart'
    await applyEndpoint(service.runtime, slug, { pool: slug })
    const { key } = await service.createCaller(10_000n)
    const names = new Map<string, string>()
    const live = async () => {
      const query = `mutation { submitVoiceJob(slug: "${slug}", inputs: {text: "Hi.", voice: "calm"}, live: true) { ... on VoiceJobSubmission { jobId } } }`
      const answer = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query } })
      names.set(answer.json<{ data: { submitVoiceJob: { jobId: string } } }>().data.submitVoiceJob.jobId, 'L')
    }
    for (let n = 0; n < 12; n++) names.set(await submitText(service.url, key, slug, 'A long chapter.'), '-')
    for (let n = 0; n < 12; n++) await live()
    const take = async (free: number, rooms: object) => {
      const text = `select job_id from claim_queued($1, $2, '', 'w', $3)`
      const rows = await query(text, [voiceKind(slug).queue, free, JSON.stringify(rooms)])
      return rows
        .map(({ job_id: id }) => names.get(id))
        .toSorted()
        .join('')
    }
    expect(await take(2, { '': 0, awaited: { '': 2 } })).toBe('LL')
    expect(await take(2, { '': 2, awaited: { '': 0 } })).toBe('--')
    expect(await take(5, { '': 3, awaited: { '': 2 } })).toBe('---LL')
    expect(await take(5, { '': 2, awaited: { espeak: 3, '': 0 } })).toBe('--LLL')
    expect(await take(4, {})).toBe('-LLL')
    expect(await take(9, { espeak: 4, '': 9 })).toBe('--LL')
  })

  test('jobs of several servers that no endpoint names share the room of unnamed ones', async () => {
    await query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, priority)
       select job.name, jsonb_build_object('jobId', server || n), 'acct_a', server, 2, job.policy, n % 2
       from (select name, policy from pgboss.job limit 1) job, unnest(array['espeak', 'sherpa-onnx']) server, generate_series(1, 6) n`,
    )
    const [{ name }] = await query(`select name from pgboss.job where data->>'jobId' = 'espeak1'`)
    const text = `select job_id from claim_queued($1, 40, '', 'w', '{"": 3, "awaited": {"": 2}}')`
    const taken = (await query(text, [name])).map(({ job_id: id }) => Number(id.at(-1)) % 2)
    expect(taken.toSorted()).toEqual([0, 0, 0, 1, 1])
  })

  test('waits for no lock: a job that is held, or whose account is, comes without its row', async () => {
    const [held, owing] = [await submitTo('held', 2), await submitTo('owing', 1)]
    const holder = await service.runtime.db.pool.connect()
    await holder.query(BEGIN_HELD)
    await holder.query('select from job where id = $1 for update', [held.jobs[0]])
    await holder.query('select from account where id = $1 for update', [owing.account])
    const taken = [await take('held'), await take('owing')]
    await holder.query('rollback')
    holder.release()
    expect(taken).toEqual([
      [
        [held.jobs[0], undefined],
        [held.jobs[1], 1],
      ],
      [[owing.jobs[0], undefined]],
    ])
    expect(await statesOf([...held.jobs, ...owing.jobs])).toEqual([
      ['queued', 0],
      ['processing', 1],
      ['queued', 0],
    ])
    expect(await spentBy(owing.account)).toBe(0)
  })

  test('gives a job that is in the queue twice to one delivery, and nothing to the other', async () => {
    const { account, jobs } = await submitTo('twice', 1)
    await query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy)
       select name, data, group_id, group_tier, retry_limit, policy from pgboss.job where data->>'jobId' = $1`,
      jobs,
    )
    expect(await take('twice')).toEqual([
      [jobs[0], 1],
      [jobs[0], null],
    ])
    expect(await spentBy(account)).toBe(10)
  })

  test('leaves every row to its own claim where PostgreSQL refuses one of them', async () => {
    const { account, jobs } = await submitTo('refused', 2)
    await query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused' using errcode = '23514'; end $$;
       create trigger refuse before update on job for each row when (new.id = '${jobs[1]}') execute function refuse()`,
    )
    // PostgreSQL answers before it lets go of what the refused claim had locked.
    const taken: unknown[] = []
    await until(async () => taken.push(...(await take('refused'))) === 2, TIMEOUT_MS, 'the rows of the refused claim')
    expect(taken).toEqual(jobs.map((id) => [id, undefined]))
    expect(await statesOf(jobs)).toEqual([
      ['queued', 0],
      ['queued', 0],
    ])
    expect(await spentBy(account)).toBe(0)
  })
})

describe('a submission where no worker is', () => {
  test('wakes the workers of other processes', async () => {
    const service = await startTestRuntime()
    const { key } = await service.createCaller()
    await applyEndpoint(service.runtime, 'away', { pool: 'away' })
    const client = await service.runtime.db.pool.connect()
    const heard = new Promise<void>((resolve) => {
      client.on('notification', ({ payload }) => payload === 'voice.away' && resolve())
    })
    await client.query('listen sonant_queue')
    await submitText(service.url, key, 'away', 'Who hears me?')
    await heard
    client.release(true)
    await service.close()
  })
})
