import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { allFinished, applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { type HeldBatches, holdBatches, untilHeld } from '../../setup/postgres/held-batches.ts'
import { type Process, startRole } from '../../setup/processes/processes.ts'
import { type KilledService, startKilledService } from '../../setup/scenarios/killed-service.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const SUBMISSIONS = 16
const CREDITS = 10_000n
/** Where every submission comes alone, each of them has a connection while it is held. */
const POOL_SIZE = '40'

type Fault = 'the API, and they commit' | 'the API, and they are rolled back' | 'PostgreSQL'
type Kind = 'with an Idempotency-Key' | 'without a key'

const FAULTS: readonly Fault[] = ['the API, and they commit', 'the API, and they are rolled back', 'PostgreSQL']
/** How the text of each statement begins. */
const STATEMENTS: Readonly<Record<Kind, RegExp>> = {
  'with an Idempotency-Key': /^\s*with\s+asked as/,
  'without a key': /^\s*with\s+queued as/,
}

/** A client's knowledge of a submission; without a status its connection broke. */
interface Answer {
  readonly text: string
  readonly status: number | undefined
  readonly id: string | undefined
  readonly isReplayed: boolean
}

/** One job of the account, with the rows that belong to it, counted. */
interface Made {
  readonly id: string
  readonly text: string
  readonly status: string
  readonly queued: number
  readonly keys: number
  readonly charges: number
}

const combinations = FAULTS.flatMap((fault) =>
  (Object.keys(STATEMENTS) as Kind[]).map((kind) => [fault, kind] as const),
)
const poolOf = (one: number) => `submissions-${one}`

describe('several submissions in one statement', { timeout: 240_000 }, () => {
  let killed: KilledService
  const service = () => killed.runtime
  let batches: HeldBatches | undefined
  let api: Process | undefined
  let url: string
  let worker: Process | undefined
  /** The case's own: jobs of one that failed stay in its own. */
  let pool = ''
  let cases = 0

  beforeAll(async () => {
    killed = await startKilledService()
    for (const one of combinations.keys()) await applyTo(poolOf(one + 1))
  }, TIMEOUT_MS)
  beforeEach(async () => {
    pool = poolOf(++cases)
    if (cases > combinations.length) await applyTo(pool)
    // The one that a case has left is the next one's.
    if (api?.runs() !== true) await startApi()
  }, TIMEOUT_MS)
  afterEach(async () => {
    await worker?.stop('SIGKILL')
    worker = undefined
    await batches?.close()
    // The next test's workers would wait for the dead one's jobs.
    await service().runtime.db.pool.query('delete from worker')
  }, TIMEOUT_MS)
  afterAll(() => killed?.close())

  const applyTo = (slug: string) =>
    applyEndpoint(service().runtime, slug, { pool: slug, base_url: killed.speech.url, max_in_flight: SUBMISSIONS })
  const startApi = async () => {
    const [port] = await freePorts(1)
    url = `http://127.0.0.1:${port}`
    const doors = { PORT: String(port), RATE_LIMIT_PER_MINUTE: '0', DATABASE_POOL_SIZE: POOL_SIZE }
    api = await startRole(['serve'], { ...killed.environment, ...doors })
  }
  const submit = async (key: string, kind: Kind, text: string): Promise<Answer> => {
    const headers: Record<string, string> = kind === 'without a key' ? {} : { 'idempotency-key': text }
    const body = { inputs: { text, voice: 'calm' } }
    const reply = await call(`${url}/api/v1/voice/${pool}`, { method: 'POST', key, headers, body }).catch(
      () => undefined,
    )
    const id = reply?.status === 202 ? reply.json<{ job_id: string }>().job_id : undefined
    return { text, status: reply?.status, id, isReplayed: reply?.headers['idempotency-replayed'] === 'true' }
  }
  const submitAgain = (key: string, kind: Kind, text: string) =>
    until(
      async () => {
        const answer = await submit(key, kind, text)
        return answer.status === 202 ? answer : undefined
      },
      TIMEOUT_MS,
      'a submission to be accepted',
    ) as Promise<Answer>
  const rows = async <Row extends object>(text: string, values: unknown[]) =>
    (await service().runtime.db.pool.query<Row>(text, values)).rows
  const jobsOf = (account: string) =>
    rows<Made>(
      `select id, inputs->>'text' as text, status,
         (select count(*)::int from pgboss.job q where q.data->>'jobId' = j.id and q.state < 'completed') as queued,
         (select count(*)::int from idempotency_record r where r.job_id = j.id and r.key = j.inputs->>'text') as keys,
         (select count(*)::int from credit_entry e where e.job_id = j.id and e.kind = 'charge') as charges
       from job j where account_id = $1 order by id`,
      [account],
    )
  /** Rows that belong to a job which does not exist. */
  const strays = (account: string) =>
    rows(
      `select 'queued' as row, q.data->>'jobId' as id from pgboss.job q
         where q.name = $2 and not exists (select from job j where j.id = q.data->>'jobId')
       union all select 'key', r.job_id from idempotency_record r
         where r.account_id = $1 and not exists (select from job j where j.id = r.job_id)
       union all select 'charge', e.job_id from credit_entry e
         where e.account_id = $1 and e.kind = 'charge' and not exists (select from job j where j.id = e.job_id)`,
      [account, `voice.${pool}`],
    )
  const strike = async (fault: Fault, account: string) => {
    if (fault === 'PostgreSQL') return killed.database.restart('SIGKILL')
    await api!.stop('SIGKILL')
    const commits = fault === 'the API, and they commit'
    await batches!.end(commits ? 'commit' : 'break off')
    const areCommitted = async () => (await jobsOf(account)).length === SUBMISSIONS
    if (commits) await until(areCommitted, TIMEOUT_MS, 'the submissions to be committed')
    await startApi()
  }
  /** A worker completes all of these jobs, and the account pays for each once and for nothing else. */
  const allIsWell = async (account: string, made: readonly Made[]) => {
    worker = await startRole(['work', '--pools', pool], killed.environment)
    const ids = made.map(({ id }) => id)
    await allFinished(service().runtime, ids, TIMEOUT_MS)
    const isEmpty = async () => (await jobsOf(account)).every(({ queued }) => queued === 0)
    await until(isEmpty, TIMEOUT_MS, 'the queue to be empty')
    const completed = { status: 'completed', queued: 0, charges: 1 }
    expect(await jobsOf(account)).toEqual(made.map((job) => ({ ...job, ...completed })))
    expect(await strays(account)).toEqual([])
    const { credits } = await service().runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })
    expect(credits).toBe(CREDITS - BigInt(made.reduce((sum, { text }) => sum + text.length, 0)))
    return ids
  }

  test.each(combinations)(
    'kill -9 of %s (%s): each 202 has its job, none is there twice, and each is in the queue and charged once',
    async (fault, kind) => {
      const isKeyed = kind !== 'without a key'
      const { account, key } = await service().createCaller(CREDITS)
      // Each of another length, so that no charge can hide another one.
      const texts = Array.from({ length: SUBMISSIONS }, (_nothing, n) => `Case ${cases}${' and more'.repeat(n)}.`)
      batches = await holdBatches(killed.database.url, 'queued')
      const submitted = Promise.all(texts.map((text) => submit(key, kind, text)))
      await untilHeld(batches, STATEMENTS[kind], SUBMISSIONS)
      expect(await jobsOf(account)).toEqual([])
      await strike(fault, account)
      const answers = await submitted
      const known: readonly (number | undefined)[] = fault === 'PostgreSQL' ? [202, 503] : [undefined]
      expect(answers.filter(({ status }) => !known.includes(status))).toEqual([])
      const before = await jobsOf(account)
      const accepted = answers.flatMap(({ id }) => id ?? [])
      const repeated = isKeyed ? await Promise.all(texts.map((text) => submitAgain(key, kind, text))) : []
      const made = await jobsOf(account)
      // A repetition has the job of the first request, where that has made one.
      const replayed = repeated.filter(({ isReplayed }) => isReplayed)
      if (isKeyed) expect(replayed.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)))
      expect(repeated.map(({ text, id }) => [text, id])).toEqual(
        isKeyed ? texts.map((text) => [text, idOf(made, text)]) : [],
      )
      expect(answers.filter(({ text, id }) => id !== undefined && id !== idOf(made, text))).toEqual([])
      expect(new Set(made.map(({ text }) => text)).size).toBe(made.length)
      expect(made.length).toBeGreaterThanOrEqual(isKeyed ? SUBMISSIONS : accepted.length)
      if (fault !== 'PostgreSQL') expect(before).toHaveLength(fault === 'the API, and they commit' ? SUBMISSIONS : 0)
      const waiting = { status: 'queued', queued: 1, keys: isKeyed ? 1 : 0, charges: 0 }
      expect(made.map(({ id: _id, text: _text, ...counts }) => counts)).toEqual(made.map(() => waiting))
      expect(await strays(account)).toEqual([])
      const ids = await allIsWell(account, made)
      const evidence = {
        door: { url: service().url, key },
        logs: [api!.stderr(), worker!.stderr()],
        secrets: [key, ...texts],
      }
      expect(await audit(service().runtime, ids, evidence)).toEqual([])
    },
  )
})

const idOf = (made: readonly Made[], text: string): string | undefined => made.find((job) => job.text === text)?.id
