import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measureAtRest, watchedEnv } from '../../setup/audit/at-rest.ts'
import { audit, VIOLATIONS } from '../../setup/audit/audit.ts'
import { insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { endProcesses, startProcess } from '../../setup/processes/processes.ts'
import type { Received } from '../../setup/servers/receiver.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

type Wrong = readonly [sentence: string, status: JobFields['status'], sql: (job: string, account: string) => string]

const entry = (kind: string, amount: number) => (job: string, account: string) =>
  `insert into credit_entry (account_id, job_id, kind, amount) values ('${account}', '${job}', '${kind}', ${amount})`
const artifact = (job: string) =>
  `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256)
   values ('art_${job}', '${job}', 'audio', '${job}', 'audio/wav', 1, sha256('x'))`
const delivery = (job: string, account: string, id = `msg_${job}`) =>
  `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at, finished_at)
   values ('${id}', '${account}', 'job', '${job}', 'https://hooks.example.com', extract(epoch from now()), 'v1,x', '{}',
     'failed', now(), now(), now());`
const attempt = (job: string, number: number, startedAt: string) =>
  `insert into webhook_attempt (delivery_id, round, number, started_at) values ('msg_${job}', 1, ${number}, ${startedAt});`
/** A job with a delivery whose attempts are these. */
const attempted =
  (...attempts: readonly [number: number, startedAt: string][]) =>
  (job: string, account: string) =>
    delivery(job, account) + attempts.map(([number, startedAt]) => attempt(job, number, startedAt)).join('')

const WRONGS: readonly Wrong[] = [
  [
    'a balance is not the sum of its ledger',
    'queued',
    (_job, account) => `update account set credits = 7 where id = '${account}'`,
  ],
  [
    'an account holds other credits than its unfinished jobs do',
    'processing',
    (_job, account) => `update account set held = 3 where id = '${account}'`,
  ],
  [
    'a job that has ended holds credits, or one holds another amount than its cost',
    'completed',
    (job) => `update job set held = 3 where id = '${job}'`,
  ],
  ['a job is charged another amount than its cost', 'completed', entry('charge', -9)],
  ['a completed job is not charged', 'completed', (job) => `update job set cost = 5 where id = '${job}'`],
  ['a failed job keeps its charge', 'failed', entry('charge', -9)],
  ['a job that is not failed is refunded', 'completed', entry('refund', 9)],
  [
    'a job that could not be charged is charged',
    'failed',
    (job, account) =>
      `update job set error_code = 'CHARGE_FAILED' where id = '${job}'; ${entry('charge', -9)(job, account)}`,
  ],
  ['a completed job has no artifact', 'completed', () => ''],
  ['an unfinished or failed job has an artifact', 'failed', artifact],
  ['an artifact cannot be read', 'completed', artifact],
  [
    'the kept count of jobs is wrong',
    'completed',
    (_job, account) => `update job_count set jobs = jobs + 1 where account_id = '${account}'`,
  ],
  [
    'the kept count of deliveries is wrong',
    'completed',
    (_job, account) =>
      `insert into webhook_delivery_count (account_id, state, shard, deliveries) values ('${account}', 'failed', 0, 1)
       on conflict (account_id, state, shard) do update set deliveries = webhook_delivery_count.deliveries + 1`,
  ],
  ['a finished job did not create the one delivery that it was asked for', 'completed', () => ''],
  [
    'a job has a delivery too many',
    'completed',
    (job, account) => delivery(job, account) + delivery(job, account, `msg2_${job}`),
  ],
  ['a job has a delivery too many', 'processing', delivery],
  [
    'a delivery was attempted more often than four times, or attempts are not numbered',
    'completed',
    attempted([1, 'now()'], [2, 'now()'], [3, 'now()'], [4, 'now()'], [5, 'now()']),
  ],
  ['a delivery was attempted after its end', 'completed', attempted([1, `now() + interval '1 minute'`])],
  ['an attempt began too late for a verifier', 'completed', attempted([1, `now() + interval '6 minutes'`])],
  [
    'an attempt that another one followed is missing, or has not ended',
    'completed',
    (job) =>
      `update job set attempt = 2 where id = '${job}'; insert into job_attempt (job_id, attempt) values ('${job}', 1)`,
  ],
  [
    'an attempt began before the one ahead of it had ended, or is ahead of its job',
    'completed',
    (job) => `insert into job_attempt (job_id, attempt) values ('${job}', 3)`,
  ],
  [
    'more jobs of an account or a key are in status processing than its limit allows',
    'processing',
    (job, account) =>
      `update account set max_running = 1 where id = '${account}';
       insert into job (id, account_id, type, endpoint_key, status, inputs, created_at)
       select left(id, -2) || 'zz', account_id, type, endpoint_key, status, inputs, created_at from job where id = '${job}'`,
  ],
  [
    'a pending delivery waits in no queue',
    'completed',
    (job, account) =>
      `${delivery(job, account)} update webhook_delivery set state = 'pending', finished_at = null where job_id = '${job}'`,
  ],
]
/** It takes five seconds to come about. */
const NOT_TRIED = 'a transaction was left open'
const LEAKING = fileURLToPath(new URL('../../setup/audit/leaking-process.ts', import.meta.url))
const TIMEOUT_MS = 20_000
/** Twice what the process leaves between two uses of its connection. */
const REST_MS = 1_000

describe('the audit', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(async () => {
    await endProcesses()
    await service.close()
  })
  const prepare = async (status: JobFields['status'] = 'completed') => {
    const account = await service.createAccount()
    return { account, job: await insertJob(service.runtime.db, account, { status }) }
  }

  test('finds everything that it looks for', async () => {
    expect(await audit(service.runtime, [])).toEqual([])
    const tried = new Set(WRONGS.map(([sentence]) => sentence))
    expect(Object.keys(VIOLATIONS).filter((sentence) => !tried.has(sentence))).toEqual([NOT_TRIED])
    for (const [sentence, status, sql] of WRONGS) {
      const { account, job } = await prepare(status)
      await service.runtime.db.pool.query(sql(job, account))
      const found = await audit(service.runtime, [])
      const names = (line: string) => line.startsWith(sentence) && (line.includes(job) || line.includes(account))
      expect(found.filter(names), sentence).toHaveLength(1)
    }
    const { job } = await prepare('processing')
    expect(await audit(service.runtime, [job])).toContain(`an accepted job did not end: ${job} is processing`)
  })

  test('finds deliveries that are not their payload snapshots, and words that no log may hold', async () => {
    const { account, job } = await prepare('failed')
    await service.runtime.db.pool.query(delivery(job, account))
    const { timestamp } = await service.runtime.db.prisma.webhookDelivery.findUniqueOrThrow({
      where: { id: `msg_${job}` },
    })
    const told = { job_id: job, status: 'completed' }
    const headers = { 'webhook-id': `msg_${job}`, 'webhook-timestamp': String(timestamp), 'webhook-signature': 'v1,y' }
    const one: Received = { path: '/', headers, body: Buffer.from(JSON.stringify(told)), at: 0 }
    const received = [
      one,
      { ...one, body: Buffer.from('{}') },
      { ...one, headers: { ...headers, 'webhook-id': 'msg_x' } },
    ]
    const logs = ['{"level":50,"msg":"the text"}', `https://here/media/x?signature=abc`]
    const found = await audit(service.runtime, [], { received, logs, secrets: ['the text'] })
    for (const sentence of [
      `the attempts of a delivery differ: msg_${job}`,
      `a delivery is not its payload snapshot: msg_${job}`,
      `a delivery says what the job does not: msg_${job}`,
      'a delivery came that was never created: msg_x',
      'a log holds "the text…"',
      'a log holds a call for help: "level":50',
      'a log holds a key, a secret or a signed URL',
    ]) {
      expect(found).toContain(sentence)
    }
  })

  test('finds connections and memory that a process does not release, a process that has ended, and what nothing caught', async () => {
    const env = watchedEnv(service.runtime.settings.databaseUrl ?? '', 'leaking')
    const leaking = await startProcess([process.execPath, LEAKING], env, /^works$/m)
    const before = [await measureAtRest({ ...leaking, name: 'leaking' }, REST_MS)]
    const find = () => audit(service.runtime, [], { before, restMs: REST_MS })
    const known = await audit(service.runtime, [])
    expect(await find()).toEqual(known)
    leaking.signal('SIGHUP')
    await until(() => leaking.stderr().includes('leaked'), TIMEOUT_MS, 'the leak')
    const found = (await find()).slice(known.length)
    expect(found[0]).toBe('leaking keeps 5 connections that it does not use')
    expect(found[1]).toMatch(/^leaking holds 2\d\d MiB, and had \d+$/)
    expect(found[2]).toMatch(/^leaking occupies \d+ MiB, and had \d+$/)
    await leaking.stop('SIGKILL')
    expect((await find()).slice(known.length)).toEqual(['a process has ended: leaking'])

    for (const line of [
      'Uncaught Error: x',
      '[UnhandledPromiseRejection: x]',
      '{"level":40,"msg":"a promise failed unheard"}',
      '(node:7) MaxListenersExceededWarning: Possible EventEmitter memory leak detected.',
    ]) {
      expect((await audit(service.runtime, [], { logs: [line] })).join()).toContain('a log holds a call for help')
    }
  })
})
