import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { type HeldBatches, holdBatches, untilHeld, watchHeartbeats } from '../../setup/postgres/held-batches.ts'
import { type OwnDatabase, startOwnDatabase } from '../../setup/postgres/own-database.ts'
import { endProcesses, type Process, startRole } from '../../setup/processes/processes.ts'
import { signedBytes } from '../../setup/servers/receiver.ts'
import {
  createOwner,
  type Owner,
  openWebhookFixture,
  WEBHOOK_ENV,
  type WebhookFixture,
} from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
/** So few that the answer to what begins them fits the 8 kB that PostgreSQL sends at once: a longer one has no reader, and breaks its statement off. */
const DELIVERIES = 6

type Statement = 'begin_attempts' | 'succeed_attempts'
type Fault = 'its worker, and it commits' | 'its worker, and it is rolled back' | 'PostgreSQL'

/** How the text of each begins, and what it does with its deliveries. */
const STATEMENTS: Readonly<Record<Statement, readonly [RegExp, 'begun' | 'succeeded']>> = {
  begin_attempts: [/^\s*with\s+locked as/, 'begun'],
  succeed_attempts: [/^\s*with\s+result as[^;]+'lock_timeout'/, 'succeeded'],
}
const FAULTS: readonly Fault[] = ['its worker, and it commits', 'its worker, and it is rolled back', 'PostgreSQL']
const COMBINATIONS = FAULTS.flatMap((fault) =>
  (Object.keys(STATEMENTS) as Statement[]).map((statement) => [fault, statement] as const),
)

/** Each has an account of its own, so that no two statements wait for one count of deliveries. */
interface Sent {
  readonly owner: Owner
  readonly id: string
}

describe('several deliveries in one statement', { timeout: 240_000 }, () => {
  let database: OwnDatabase
  let fixture: WebhookFixture
  let batches: HeldBatches | undefined
  const workers: Process[] = []
  const paths: string[] = []

  beforeAll(async () => {
    database = await startOwnDatabase()
    fixture = await openWebhookFixture({ env: { DATABASE_URL: database.url, LOG_LEVEL: 'silent' } })
  }, TIMEOUT_MS)
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')))
    await batches?.close()
  })
  afterAll(async () => {
    await endProcesses()
    await fixture?.close()
    await database?.close()
  })

  const pool = () => fixture.service.runtime.db.pool
  const start = async () => {
    const worker = await startRole(['work'], {
      ...WEBHOOK_ENV,
      NODE_EXTRA_CA_CERTS: fixture.certificates.caFile,
      DATABASE_URL: database.url,
      DATA_DIR: fixture.service.dataDir,
      LOG_LEVEL: 'warn',
    })
    workers.push(worker)
    return worker
  }
  /** Before any worker is there: its first fetch takes all of them. */
  const sendAll = async (path: string): Promise<Sent[]> => {
    const url = fixture.receiver.url + path
    const owners = await Promise.all(Array.from({ length: DELIVERIES }, () => createOwner(fixture.service, url)))
    return Promise.all(owners.map(async (owner) => ({ owner, id: await owner.sendTest() })))
  }
  /** Answers nothing before all deliveries have come, and then all of them in one moment. */
  const answerTogether = (path: string) => {
    const answers: (() => unknown)[] = []
    fixture.receiver.on(path, (response) => {
      answers.push(() => response.writeHead(204).end())
      if (answers.length >= DELIVERIES) for (const answer of answers.splice(0)) answer()
    })
  }
  const strike = async (fault: Fault, worker: Process) => {
    if (fault === 'PostgreSQL') await database.restart('SIGKILL')
    else {
      await worker.stop('SIGKILL')
      await batches!.end(fault === 'its worker, and it commits' ? 'commit' : 'break off')
    }
    await watchHeartbeats(pool())
    if (fault !== 'PostgreSQL') await start()
  }
  const queued = async (ids: readonly string[]) =>
    (await pool().query(`select from pgboss.job where data->>'jobId' = any($1) and state < 'completed'`, [ids]))
      .rowCount
  /** How often each has come, with the same bytes every time. */
  const timesReceived = (path: string, ids: readonly string[]) => {
    const bytes = Map.groupBy(fixture.receiver.everReceived(path), ({ headers }) => headers['webhook-id']!)
    expect([...bytes.keys()].toSorted()).toEqual(ids.toSorted())
    for (const [id, requests] of bytes) expect(new Set(requests.map(signedBytes)).size, id).toBe(1)
    return ids.map((id) => bytes.get(id)!.length)
  }

  test.each(COMBINATIONS)(
    'kill -9 of %s (%s): every delivery arrives and succeeds, and no attempt is counted twice',
    async (fault, statement) => {
      const [text, move] = STATEMENTS[statement]
      const path = `/batches-${paths.length}`
      paths.push(path)
      batches = await holdBatches(database.url, move)
      answerTogether(path)
      const sent = await sendAll(path)
      const ids = sent.map(({ id }) => id)
      const worker = await start()
      await untilHeld(batches, text, DELIVERIES)
      expect(fixture.receiver.received(path)).toHaveLength(statement === 'begin_attempts' ? 0 : DELIVERIES)
      fixture.receiver.on(path, (response) => response.writeHead(204).end())
      await strike(fault, worker)

      const deliveries = await Promise.all(sent.map(({ owner, id }) => owner.outcomeOf(id, TIMEOUT_MS)))
      await until(async () => (await queued(ids)) === 0, TIMEOUT_MS, 'the queue to be empty')
      const received = timesReceived(path, ids)
      const [attempts, times] = expected(fault, statement)
      const ended = { state: 'succeeded', outcome: 'succeeded' }
      expect(deliveries).toMatchObject(ids.map(() => ({ ...ended, attempts: attempts.map((one) => ({ ...one })) })))
      expect(received).toEqual(ids.map(() => times))
      const { rows } = await pool().query<{ attempt: number }>(
        'select attempt from webhook_delivery where id = any($1)',
        [ids],
      )
      expect(rows).toEqual(ids.map(() => ({ attempt: attempts.length })))
      const evidence = {
        received: paths.flatMap((one) => fixture.receiver.everReceived(one)),
        logs: workers.map(({ stderr }) => stderr()),
        secrets: sent.flatMap(({ owner }) => [owner.key, owner.secret]),
      }
      expect(await audit(fixture.service.runtime, [], evidence)).toEqual([])
    },
  )
})

interface Attempted {
  readonly number: number
  readonly outcome: 'succeeded' | 'interrupted'
}

/** The attempts of each delivery, and how often it arrives: only what its worker had counted or sent costs another one. */
function expected(fault: Fault, statement: Statement): [attempts: readonly Attempted[], times: number] {
  const once: readonly Attempted[] = [{ number: 1, outcome: 'succeeded' }]
  const twice: readonly Attempted[] = [
    { number: 1, outcome: 'interrupted' },
    { number: 2, outcome: 'succeeded' },
  ]
  if (fault === 'PostgreSQL') return [once, 1]
  const isCommitted = fault === 'its worker, and it commits'
  if (statement === 'begin_attempts') return [isCommitted ? twice : once, 1]
  return isCommitted ? [once, 1] : [twice, 2]
}
