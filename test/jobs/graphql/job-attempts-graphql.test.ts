import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { recordRelease } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { ask, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const CAUSE = 'connect ECONNREFUSED 10.0.0.7:8000'
const JOBS = 5

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

/** A job of the account that was released once and has then failed. */
async function triedTwice(accountId: string): Promise<string> {
  const { runtime } = service
  const jobId = await insertJob(runtime.db, accountId, { status: 'queued' })
  const claim = await claimJob(runtime, jobId)
  await recordRelease(runtime, claim!, { ending: 'database_away', cause: CAUSE })
  await claimJob(runtime, jobId)
  await runtime.db.pool.query(
    `update job set status = 'failed', completed_at = now(), error_code = 'RENDER_FAILED', cause = 'no sound' where id = $1`,
    [jobId],
  )
  return jobId
}

describe('Job.attemptHistory', () => {
  test('tells a caller why each attempt ended, and only an operator where it ran and the true cause', async () => {
    const { account, key } = await service.createCaller()
    const { apiKey: operator } = await service.createKey(await service.createAccount(), ['operator'])
    const id = await triedTwice(account)
    const open = `query ($id: ID!) { node(id: $id) { ... on Job { attemptHistory { number outcome error } } } }`
    const seen = [
      { number: 1, outcome: 'RELEASED', error: 'The database was away.' },
      { number: 2, outcome: 'FAILED', error: expect.stringContaining('The engine rejected the request') },
    ]
    for (const one of [key, operator])
      expect(await read(service.url, one, open, { id })).toEqual({ node: { attemptHistory: seen } })
    const hidden = `query ($id: ID!) { node(id: $id) { ... on Job { attemptHistory { worker cause } } } }`
    expect(await read(service.url, operator, hidden, { id })).toEqual({
      node: {
        attemptHistory: [
          { worker: service.runtime.workerId, cause: CAUSE },
          { worker: null, cause: 'no sound' },
        ],
      },
    })
    const refused = await ask(service.url, key, hidden, { id })
    const nothing = { worker: null, cause: null }
    expect(refused.data).toEqual({ node: { attemptHistory: [nothing, nothing] } })
    expect(new Set(refused.errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(['FORBIDDEN']))
    expect(JSON.stringify(refused)).not.toMatch(/10\.0\.0\.7|no sound|wrk_/)
  })

  test('costs one statement for a page of jobs, and none where all were completed at once', async () => {
    const statementsOf = async (key: string) => {
      const query = vi.spyOn(pg.Client.prototype, 'query')
      try {
        const document = `{ jobs(first: 50) { edges { node { id attemptHistory { number outcome } } } } }`
        const { jobs } = await read<{ jobs: { edges: { node: { attemptHistory: object[] } }[] } }>(
          service.url,
          key,
          document,
        )
        const texts = query.mock.calls.map(([statement]: unknown[]) =>
          typeof statement === 'string' ? statement : (statement as { text: string }).text,
        )
        const lengths = jobs.edges.map(({ node }) => node.attemptHistory.length)
        return { lengths, statements: texts.filter((text) => /\bjob_attempt\b/.test(text)).length }
      } finally {
        query.mockRestore()
      }
    }
    const [often, once] = [await service.createCaller(), await service.createCaller()]
    for (let n = 0; n < JOBS; n++) {
      await triedTwice(often.account)
      const id = await insertJob(service.runtime.db, once.account)
      await service.runtime.db.pool.query('update job set attempt = 1, started_at = created_at where id = $1', [id])
    }
    expect(await statementsOf(often.key)).toEqual({ lengths: Array(JOBS).fill(2), statements: 1 })
    expect(await statementsOf(once.key)).toEqual({ lengths: Array(JOBS).fill(1), statements: 0 })
  })
})
