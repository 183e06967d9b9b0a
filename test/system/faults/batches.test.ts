import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { claimApart, claimTogether } from '../../setup/postgres/claims-apart.ts'
import { type HeldBatches, holdBatches, untilHeld, watchHeartbeats } from '../../setup/postgres/held-batches.ts'
import { type Process, startRole } from '../../setup/processes/processes.ts'
import { type KilledService, startKilledService } from '../../setup/scenarios/killed-service.ts'
import { type Certificates, testCertificates } from '../../setup/servers/certificates.ts'
import { type Receiver, signedBytes, startReceiver } from '../../setup/servers/receiver.ts'
import { WEBHOOK_ENV } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
/** So few that the answer about all of them fits the 8 kB that PostgreSQL sends at once: a longer one has no reader, and breaks its statement off. */
const JOBS = 12
const CREDITS = 10_000n

const DELIVERED = 'end_jobs with their deliveries'
type Statement = 'claim_queued_rows' | 'claim_jobs' | 'end_jobs' | typeof DELIVERED
type Fault = 'its worker, and it commits' | 'its worker, and it is rolled back' | 'PostgreSQL'

/** How the text of each begins or what it alone has, and the state that it moves jobs into. */
const STATEMENTS: Readonly<Record<Statement, readonly [RegExp, 'processing' | 'completed']>> = {
  claim_queued_rows: [/claim_queued\(/, 'processing'],
  claim_jobs: [/^\s*with\s+taken as/, 'processing'],
  end_jobs: [/^commit$/, 'completed'],
  [DELIVERED]: [/^commit$/, 'completed'],
}
const FAULTS: readonly Fault[] = ['its worker, and it commits', 'its worker, and it is rolled back', 'PostgreSQL']

/** The fate of one job in counts. */
interface Fate {
  readonly status: string
  readonly cause: string | null
  readonly attempt: number
  readonly charges: number
  readonly refunds: number
  readonly artifacts: number
  /** Without what is done with: of a job that ended alone pg-boss keeps its row as completed for a while. */
  readonly queued: number
}

describe('several jobs in one statement', { timeout: 240_000 }, () => {
  let killed: KilledService
  let certificates: Certificates
  let receiver: Receiver
  const service = () => killed.runtime
  let batches: HeldBatches | undefined
  /** The case's own: jobs of one that failed stay in its own. */
  let pool = ''
  let cases = 0
  /** The gate of the speech server; a case may close it. */
  let gate = Promise.withResolvers<void>()
  const workers: Process[] = []

  beforeAll(async () => {
    killed = await startKilledService()
    certificates = testCertificates()
    receiver = await startReceiver(certificates.good)
  }, TIMEOUT_MS)
  beforeEach(async () => {
    pool = `batches-${++cases}`
    await applyEndpoint(service().runtime, pool, { pool, base_url: killed.speech.url, max_in_flight: 32 })
  })
  afterEach(async () => {
    gate.resolve()
    killed.speech.answer(() => ({}))
    await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')))
    await batches?.close()
    await claimTogether(service().runtime.db.pool)
    await service().runtime.db.pool.query('drop trigger if exists refuse on job')
    // The next test's workers would wait for the dead ones' jobs.
    await service().runtime.db.pool.query('delete from worker')
  })
  afterAll(async () => {
    await killed?.close()
    await receiver?.close()
  })

  const start = async () => {
    const delivering = { ...WEBHOOK_ENV, NODE_EXTRA_CA_CERTS: certificates.caFile }
    const env = { ...killed.environment, ...delivering, SHUTDOWN_SECONDS: '2' }
    const worker = await startRole(['work', '--pools', pool], env)
    workers.push(worker)
    return worker
  }
  const strike = async (fault: Fault, worker: Process) => {
    if (fault === 'PostgreSQL') {
      await killed.database.restart('SIGKILL')
      await watchHeartbeats(service().runtime.db.pool)
      return
    }
    await worker.stop('SIGKILL')
    await batches!.end(fault === 'its worker, and it commits' ? 'commit' : 'break off')
    await start()
  }
  const fatesOf = async (ids: readonly string[]) => {
    const entries = (kind: string) =>
      `(select count(*)::int from credit_entry e where e.job_id = j.id and e.kind = '${kind}')`
    const { rows } = await service().runtime.db.pool.query<Fate>(
      `select status, cause, attempt, ${entries('charge')} as charges, ${entries('refund')} as refunds,
         (select count(*)::int from artifact a where a.job_id = j.id) as artifacts,
         (select count(*)::int from pgboss.job q where q.data->>'jobId' = j.id and q.state < 'completed') as queued
       from job j where id = any($1) order by id`,
      [ids],
    )
    return rows
  }
  /** Every job ended well and once, and the account paid for each once. Returns the attempts that they took, in order. */
  const allIsWell = async (ids: readonly string[], account: string, cost: number) => {
    await allFinished(service().runtime, ids, TIMEOUT_MS)
    const isEmpty = async () => (await fatesOf(ids)).every(({ queued }) => queued === 0)
    await until(isEmpty, TIMEOUT_MS, 'the queue to be empty')
    const fates = await fatesOf(ids)
    const well = { status: 'completed', cause: null, charges: 1, refunds: 0, artifacts: 1, queued: 0 }
    expect(fates.map(({ attempt: _attempt, ...fate }) => fate)).toEqual(ids.map(() => well))
    const { credits } = await service().runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })
    expect(credits).toBe(CREDITS - BigInt(cost))
    return fates.map(({ attempt }) => attempt).sort()
  }
  /** Before any worker is there: its first fetch takes all of them. */
  const submitAll = async () => {
    const { account, key } = await service().createCaller(CREDITS)
    // Each of another length, so that no charge can hide another one.
    const texts = Array.from({ length: JOBS }, (_nothing, index) => `Case ${cases}${' and more'.repeat(index)}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service().url, key, pool, text)))
    return { account, key, texts, ids, cost: texts.reduce((sum, text) => sum + text.length, 0) }
  }
  const deliverTo = (account: string, url: string) =>
    service().runtime.db.prisma.account.update({ where: { id: account }, data: { webhookUrl: url } })
  /** The jobs of the deliveries that there are, of which each has reached the receiver, with the same bytes as often as it came. */
  const deliveriesOf = async (ids: readonly string[], count: number) => {
    const read = async () => {
      const { rows } = await service().runtime.db.pool.query<{ id: string; job: string; state: string }>(
        'select id, job_id as job, state from webhook_delivery where job_id = any($1) order by job_id',
        [ids],
      )
      return rows.filter(({ state }) => state === 'succeeded').length >= count ? rows : undefined
    }
    const deliveries = (await until(read, TIMEOUT_MS, `${count} deliveries`))!
    const bytes = receiver.everReceived(`/${pool}`).map(signedBytes)
    for (const { id } of deliveries) expect(new Set(bytes.filter((one) => one.startsWith(`${id} `))).size, id).toBe(1)
    return deliveries.map(({ job }) => job)
  }
  const auditorIsContent = async (key: string, texts: readonly string[], ids: readonly string[]) => {
    const logs = workers.map(({ stderr }) => stderr())
    const door = { url: service().url, key }
    expect(await audit(service().runtime, ids, { door, logs, secrets: [key, ...texts] })).toEqual([])
  }
  const timesSpoken = (texts: readonly string[]) =>
    texts.map((text) => killed.speech.calls.filter(({ body }) => body.input === text).length)

  const combinations = FAULTS.flatMap((fault) =>
    (Object.keys(STATEMENTS) as Statement[]).map((one) => [fault, one] as const),
  )
  test.each(combinations)(
    'kill -9 of %s (%s): every job is charged once, completed once and out of the queue',
    async (fault, statement) => {
      const [text, state] = STATEMENTS[statement]
      batches = await holdBatches(killed.database.url, state)
      const isAlone = statement === 'claim_jobs'
      if (isAlone) await claimApart(service().runtime.db.pool)
      gate = Promise.withResolvers()
      killed.speech.answer(() => ({ until: gate.promise }))
      const { account, key, texts, ids, cost } = await submitAll()
      const isDelivered = statement === DELIVERED
      if (isDelivered) await deliverTo(account, `${receiver.url}/${pool}`)
      const worker = await start()
      // So that all of them end in one moment.
      if (state === 'completed')
        await until(() => killed.speech.inFlight() === JOBS, TIMEOUT_MS, 'all jobs at the server')
      gate.resolve()
      // Claims one by one wait for each other at their account.
      await untilHeld(batches, text, isAlone ? 1 : JOBS)
      await strike(fault, worker)
      const attempts = await allIsWell(ids, account, cost)
      const isGivenUp = attempts.some((attempt) => attempt > 1) && fault === 'PostgreSQL' && state === 'completed'
      const [attempt, rendered] = lastOf(fault, state)
      // A worker that cannot reach PostgreSQL for long gives its jobs up: those are rendered again, and no others.
      // A claim of the dead worker that waited for the account may be committed as well.
      if (isAlone) expect([attempts.at(-1)! >= attempt, attempts.every((one) => one <= 2)]).toEqual([true, true])
      else expect(attempts).toEqual(isGivenUp ? timesSpoken(texts).sort() : ids.map(() => attempt))
      if (!isGivenUp) expect(timesSpoken(texts)).toEqual(texts.map(() => rendered))
      expect(await deliveriesOf(ids, isDelivered ? ids.length : 0)).toEqual(isDelivered ? ids.toSorted() : [])
      await auditorIsContent(key, texts, ids)
    },
  )

  test('kill -9 of a worker that has committed it with deliveries, whose receiver has not answered: all are delivered, with the same bytes', async () => {
    let isKilled = false
    receiver.on(`/${pool}`, (response) => isKilled && response.writeHead(204).end())
    gate = Promise.withResolvers()
    killed.speech.answer(() => ({ until: gate.promise }))
    batches = await holdBatches(killed.database.url, 'completed')
    const { account, key, texts, ids, cost } = await submitAll()
    await deliverTo(account, `${receiver.url}/${pool}`)
    const worker = await start()
    await until(() => killed.speech.inFlight() === JOBS, TIMEOUT_MS, 'all jobs at the server')
    gate.resolve()
    await untilHeld(batches, STATEMENTS[DELIVERED][0], JOBS)
    await batches.end('commit')
    await allFinished(service().runtime, ids, TIMEOUT_MS)
    await receiver.waitFor(`/${pool}`)
    isKilled = true
    await worker.stop('SIGKILL')
    await watchHeartbeats(service().runtime.db.pool)
    await start()
    expect(await allIsWell(ids, account, cost)).toEqual(ids.map(() => 1))
    expect(await deliveriesOf(ids, ids.length)).toEqual(ids.toSorted())
    await auditorIsContent(key, texts, ids)
  })

  test('of which PostgreSQL refuses to claim one: that one alone waits, and is completed once it is refused no more', async () => {
    const { account, key, texts, ids, cost } = await submitAll()
    const [refused = '', ...others] = ids
    const { db } = service().runtime
    await db.pool.query(refusing(refused))
    await start()
    await allFinished(service().runtime, others, TIMEOUT_MS)
    const of = async (id: string) => (await fatesOf([id]))[0]
    const completed = { status: 'completed', cause: null, attempt: 1, charges: 1, artifacts: 1 }
    for (const id of others) expect(await of(id)).toMatchObject(completed)
    expect(await of(refused)).toMatchObject({ status: 'queued', attempt: 0, charges: 0, artifacts: 0, queued: 1 })
    // With its delivery, and by itself at last. A rollback does not take back a sequence's count.
    const last = async (sequence: string) =>
      Number((await db.pool.query<{ last_value: string }>(`select last_value from ${sequence}`)).rows[0]!.last_value)
    expect(await last('refusals')).toBeGreaterThanOrEqual(2)
    expect(await last('most_refused')).toBeGreaterThan(1)
    await db.pool.query('drop trigger refuse on job')
    expect(await allIsWell(ids, account, cost)).toEqual(ids.map(() => 1))
    await auditorIsContent(key, texts, ids)
  })
})

/** SQL that refuses every statement which changes this job. Sequences count them, and keep how many jobs the largest of them changed. */
const refusing = (job: string): string => `
  drop sequence if exists refusals, most_refused;
  create sequence refusals;
  create sequence most_refused;
  create or replace function refuse() returns trigger language plpgsql as $$ begin
    if exists (select from changed where id = '${job}') then
      perform nextval('refusals'), setval('most_refused', greatest((select count(*) from changed), (select last_value from most_refused)));
      raise 'refused' using errcode = '23514';
    end if;
    return null;
  end $$;
  create trigger refuse after update on job referencing new table as changed for each statement execute function refuse()`

/** Which attempt ends each job, and how often it is rendered: nothing is done again but what was lost with the worker. */
function lastOf(fault: Fault, state: 'processing' | 'completed'): [attempt: number, renderings: number] {
  if (fault === 'PostgreSQL') return [1, 1]
  const commits = fault === 'its worker, and it commits'
  if (state === 'processing') return [commits ? 2 : 1, 1]
  return commits ? [1, 1] : [2, 2]
}
