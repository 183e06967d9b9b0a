import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { claimApart, claimTogether } from '../../setup/postgres/claims-apart.ts'
import { type HeldBatches, holdBatches } from '../../setup/postgres/held-batches.ts'
import { type OwnDatabase, startOwnDatabase } from '../../setup/postgres/own-database.ts'
import { endProcesses, type Process, startRole } from '../../setup/processes/processes.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const POOL = 'batches'
const JOBS = 12
const CREDITS = 10_000n

type Statement = 'claim_queued_rows' | 'claim_jobs' | 'complete_jobs'
type Fault = 'its worker, and it commits' | 'its worker, and it is rolled back' | 'PostgreSQL'

/** How the text of each begins or what it alone has, and the state that it moves jobs into. */
const STATEMENTS: Readonly<Record<Statement, readonly [RegExp, 'processing' | 'completed']>> = {
  claim_queued_rows: [/claim_queued\(/, 'processing'],
  claim_jobs: [/^\s*with\s+taken as/, 'processing'],
  complete_jobs: [/^\s*with\s+done as/, 'completed'],
}
const FAULTS: readonly Fault[] = ['its worker, and it commits', 'its worker, and it is rolled back', 'PostgreSQL']

/** What became of one job, each thing counted. */
interface Fate {
  readonly status: string
  readonly cause: string | null
  readonly attempt: number
  readonly charges: number
  readonly refunds: number
  readonly artifacts: number
  readonly queued: number
}

describe('several jobs in one statement', { timeout: 240_000 }, () => {
  let database: OwnDatabase
  let service: TestRuntime
  let speech: SpeechServer
  let batches: HeldBatches | undefined
  const workers: Process[] = []

  beforeAll(async () => {
    database = await startOwnDatabase()
    service = await startTestRuntime({ env: { DATABASE_URL: database.url, LOG_LEVEL: 'silent' } })
    speech = await startSpeechServer()
    await applyEndpoint(service.runtime, POOL, { pool: POOL, base_url: speech.url, max_in_flight: 32 })
  }, TIMEOUT_MS)
  afterEach(async () => {
    await batches?.close()
    await claimTogether(service.runtime.db.pool)
    await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')))
    // The next test's workers would wait for the dead ones' jobs.
    await service.runtime.db.pool.query('delete from worker')
  })
  afterAll(async () => {
    await endProcesses()
    await service?.close()
    await speech?.close()
    await database?.close()
  })

  const start = async () => {
    const env = { DATABASE_URL: database.url, DATA_DIR: service.dataDir, LOG_LEVEL: 'warn', SHUTDOWN_SECONDS: '2' }
    const worker = await startRole(['work', '--pools', POOL], env)
    workers.push(worker)
    return worker
  }
  /** Waits until statements of this kind alone hold jobs, all of them or as many as one takes; returns how many jobs they hold. */
  const heldBy = async (statement: Statement) => {
    const [text] = STATEMENTS[statement]
    const isThere = async () => {
      const held = await batches!.held()
      const jobs = held.reduce((sum, one) => sum + one.jobs, 0)
      // A dispatcher has one fetch under way at a time; jobs that were fetched are claimed and completed while others wait.
      return jobs === JOBS || (statement === 'claim_queued_rows' && jobs > 1) ? held : undefined
    }
    const held = (await until(isThere, TIMEOUT_MS, `a batch of ${statement}`))!
    expect(held.filter(({ query }) => !text.test(query))).toEqual([])
    expect(Math.max(...held.map(({ jobs }) => jobs))).toBeGreaterThan(1)
    return held.reduce((sum, { jobs }) => sum + jobs, 0)
  }
  const strike = async (fault: Fault, worker: Process) => {
    if (fault === 'PostgreSQL') return database.restart('SIGKILL')
    await worker.stop('SIGKILL')
    await batches!.end(fault === 'its worker, and it commits' ? 'commit' : 'break off')
    await start()
  }
  const fatesOf = async (ids: readonly string[]) => {
    const entries = (kind: string) =>
      `(select count(*)::int from credit_entry e where e.job_id = j.id and e.kind = '${kind}')`
    const { rows } = await service.runtime.db.pool.query<Fate>(
      `select status, cause, attempt, ${entries('charge')} as charges, ${entries('refund')} as refunds,
         (select count(*)::int from artifact a where a.job_id = j.id) as artifacts,
         (select count(*)::int from pgboss.job q where q.data->>'jobId' = j.id) as queued
       from job j where id = any($1) order by id`,
      [ids],
    )
    return rows
  }
  /** Every job ended well and once, and the account paid for each once. Returns the attempts that they took, in order. */
  const allIsWell = async (ids: readonly string[], account: string, cost: number) => {
    await allFinished(service.runtime, ids, TIMEOUT_MS)
    const isEmpty = async () => (await fatesOf(ids)).every(({ queued }) => queued === 0)
    await until(isEmpty, TIMEOUT_MS, 'the queue to be empty')
    const fates = await fatesOf(ids)
    const well = { status: 'completed', cause: null, charges: 1, refunds: 0, artifacts: 1, queued: 0 }
    expect(fates.map(({ attempt: _attempt, ...fate }) => fate)).toEqual(ids.map(() => well))
    const { credits } = await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })
    expect(credits).toBe(CREDITS - BigInt(cost))
    return fates.map(({ attempt }) => attempt).sort()
  }
  const submitAll = async (name: string) => {
    const { account, key } = await service.createCaller(CREDITS)
    // Each of another length, so that no charge can hide another one.
    const texts = Array.from({ length: JOBS }, (_nothing, index) => `One of ${name}${' and one more'.repeat(index)}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, key, POOL, text)))
    return { account, key, texts, ids, cost: texts.reduce((sum, text) => sum + text.length, 0) }
  }
  const timesSpoken = (texts: readonly string[]) =>
    texts.map((text) => speech.calls.filter(({ body }) => body.input === text).length)

  const cases = FAULTS.flatMap((fault) => (Object.keys(STATEMENTS) as Statement[]).map((one) => [fault, one] as const))
  test.each(cases)(
    'kill -9 of %s (%s): every job is charged once, completed once and out of the queue',
    async (fault, statement) => {
      const [, state] = STATEMENTS[statement]
      batches = await holdBatches(database.url, state)
      if (statement === 'claim_jobs') await claimApart(service.runtime.db.pool)
      const { account, key, texts, ids, cost } = await submitAll(`${statement}, killed with ${fault}`)
      const worker = await start()
      const held = await heldBy(statement)
      await strike(fault, worker)
      const attempts = await allIsWell(ids, account, cost)
      const [lost, rendered] = repeated(fault, state, held)
      expect(attempts).toEqual(ids.map((_id, index) => (index < JOBS - lost ? 1 : 2)))
      expect(timesSpoken(texts)).toEqual(texts.map(() => rendered))
      const logs = workers.map(({ stderr }) => stderr())
      const door = { url: service.url, key }
      expect(await audit(service.runtime, ids, { door, logs, secrets: [key, ...texts] })).toEqual([])
    },
  )

  test('of which PostgreSQL refuses to claim one: that one alone waits, and is completed once it is refused no more', async () => {
    const { account, ids, cost } = await submitAll('many')
    const [refused = '', ...others] = ids
    const { pool } = service.runtime.db
    await pool.query(`
      create sequence refusals;
      create function refuse() returns trigger language plpgsql as $$ begin
        perform nextval('refusals'); raise 'refused' using errcode = '23514';
      end $$;
      create trigger refuse before update on job for each row when (new.id = '${refused}') execute function refuse()`)
    await start()
    await allFinished(service.runtime, others, TIMEOUT_MS)
    const of = async (id: string) => (await fatesOf([id]))[0]
    const completed = { status: 'completed', cause: null, attempt: 1, charges: 1, artifacts: 1 }
    for (const id of others) expect(await of(id)).toMatchObject(completed)
    expect(await of(refused)).toMatchObject({ status: 'queued', attempt: 0, charges: 0, artifacts: 0, queued: 1 })
    // With its delivery, in a batch, alone: what a sequence counts is not rolled back.
    const { rows } = await pool.query<{ last_value: string }>('select last_value from refusals')
    expect(Number(rows[0]!.last_value)).toBeGreaterThanOrEqual(3)
    await pool.query('drop trigger refuse on job')
    expect(await allIsWell(ids, account, cost)).toEqual(ids.map(() => 1))
  })
})

/** How many jobs take a second attempt, and how often each is rendered: nothing is done again but what was lost with the worker. */
function repeated(
  fault: Fault,
  state: 'processing' | 'completed',
  held: number,
): [attempts: number, renderings: number] {
  if (fault === 'PostgreSQL') return [0, 1]
  const commits = fault === 'its worker, and it commits'
  if (state === 'processing') return [commits ? held : 0, 1]
  return commits ? [0, 1] : [held, 2]
}
