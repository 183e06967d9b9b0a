import { buildSchema, type ExecutionResult, type GraphQLObjectType, parse } from 'graphql'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../../src/access/actor.ts'
import { END, openPullStream } from '../../../src/concurrency/pull-stream.ts'
import { subscribe } from '../../../src/graphql/subscriptions/subscribe.ts'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { NO_TELEMETRY } from '../../../src/telemetry/telemetry.ts'
import { openLog } from '../../../src/values/log.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'

type Row = { name?: string; text?: string } | string

describe('an event', () => {
  let executed = 0
  const schema = buildSchema('type Query { a: Int } type Subscription { tick(by: Int = 1): Int fails: Int }')
  const { tick, fails } = (schema.getType('Subscription') as GraphQLObjectType).getFields()
  tick!.resolve = (event: { n: number }, { by }) => {
    executed++
    return event.n * by
  }
  fails!.resolve = () => {
    executed++
    throw new Error('no')
  }
  const key = (accountId: string, scopes: string[], apiKeyId: string): Actor => ({
    kind: 'key',
    accountId,
    apiKeyId,
    scopes,
    credits: 0n,
  })
  const document = parse('subscription ($by: Int) { tick(by: $by) }')
  const mine = key('acct_1', ['job:read'], 'key_1')

  /** The messages of each subscriber for one event, and the number of executions. */
  async function tellAll(calls: { actor?: Actor; by?: number; document?: typeof document }[]) {
    executed = 0
    const event = { n: 7 }
    const answers = calls.map(async ({ actor = mine, by, document: asked = document }) => {
      const told = [event]
      const take = () => {
        const value = told.pop()
        return value === undefined ? END : ({ done: false, value } as const)
      }
      const subscribed = () => openPullStream({ take, stop: () => undefined, isBroken: () => false }).stream
      tick!.subscribe = subscribed
      fails!.subscribe = subscribed
      const stream = await subscribe({
        schema,
        document: asked,
        variableValues: by === undefined ? {} : { by },
        contextValue: {
          actor,
          db: { pool: {}, readPool: {} },
          telemetry: NO_TELEMETRY,
          log: openLog('fatal'),
          requestId: 'a',
          signal: new AbortController().signal,
        },
      })
      const { value } = await (stream as AsyncIterableIterator<ExecutionResult>).next()
      return value as ExecutionResult
    })
    return { answers: await Promise.all(answers), executed }
  }

  test('is executed once for all who ask for the same of the same account', async () => {
    const other = key('acct_1', ['job:read'], 'key_2')
    const { answers, executed: times } = await tellAll([{}, {}, { actor: other }])
    expect([times, ...answers.map(({ data }) => data?.tick)]).toEqual([1, 7, 7, 7])
  })

  test('is executed for each who asks for something else, is of another account or has other scopes', async () => {
    const { answers, executed: times } = await tellAll([
      {},
      { by: 2 },
      { document: parse('subscription { tick(by: 3) }') },
      { actor: key('acct_2', ['job:read'], 'key_3') },
      { actor: key('acct_1', ['job:read', 'operator'], 'key_4') },
      { actor: { kind: 'anonymous' } },
    ])
    expect([times, ...answers.map(({ data }) => data?.tick)]).toEqual([6, 7, 14, 21, 7, 7, 7])
  })

  test('that goes wrong for one is executed for the next as well', async () => {
    const { answers, executed: times } = await tellAll(
      [{}, {}].map(() => ({ document: parse('subscription { fails }') })),
    )
    expect([times, ...answers.map(({ errors }) => errors?.length)]).toEqual([2, 1, 1])
    const same = parse('subscription { fails }')
    expect((await tellAll([{ document: same }, { document: same }])).executed).toBe(2)
  })
})

describe('a change of a job', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(() => service?.close())

  test('is read once for all subscribers of its account, artifacts included', async () => {
    const { key, account } = await service.createCaller()
    const jobId = await insertJob(service.runtime.db, account, { status: 'processing' })
    const clients = Array.from({ length: 20 }, () => openSocketClient(service.url, key))
    const text = 'subscription { jobsUpdated { id status artifacts { id } } }'
    const heard = clients.map((client) => client.subscribe<{ jobsUpdated: { id: string; status: string } }>(text))
    for (const one of heard) await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    const { db } = service.runtime
    await db.pool.query(`update job set status = 'completed', completed_at = now() where id = $1`, [jobId])
    // For every caller, and through whichever connection.
    const query = Client.prototype.query as (...all: unknown[]) => unknown
    const names: unknown[] = []
    Client.prototype.query = function (this: Client, first: Row, ...rest: unknown[]) {
      names.push(typeof first === 'object' ? first.name : first)
      return query.call(this, first, ...rest)
    } as typeof Client.prototype.query
    try {
      notifyJob(service.runtime, { accountId: account, jobId })
      for (const one of heard) await one.waitFor(({ jobsUpdated }) => jobsUpdated.status === 'COMPLETED')
    } finally {
      Client.prototype.query = query as typeof Client.prototype.query
    }
    expect(names.filter((name) => /job/.test(String(name))).toSorted()).toEqual(['fetch_jobs', 'job_artifacts'])
    await Promise.all(clients.map((client) => client.dispose()))
  })
})
