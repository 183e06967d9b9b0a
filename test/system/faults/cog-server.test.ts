import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePorts } from '../../setup/http.ts'
import { allFinished } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow, submitPrompt } from '../../setup/jobs/workflows.ts'
import type { Process } from '../../setup/processes/processes.ts'
import { openWorkerFixture, type WorkerFixture } from '../../setup/scenarios/worker-fixture.ts'
import { type CogServer, startCogServer } from '../../setup/servers/cog-server.ts'
import { crashingFor } from '../../setup/servers/listening.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const DOWN_MS = 4000
const LIMIT = 4
const RETRY_SECONDS = 4

describe('a Cog server that fails, with two workers', { timeout: 240_000 }, () => {
  let fixture: WorkerFixture
  let cog: CogServer
  let key: string
  const workers: Process[] = []
  beforeAll(async () => {
    fixture = await openWorkerFixture()
    key = await keyOf(fixture.account)
    workers.push(...(await Promise.all([fixture.startWorker('gpu'), fixture.startWorker('gpu')])))
  })
  beforeEach(async () => {
    cog = await startCogServer()
  })
  afterEach(() => cog.close())
  afterAll(() => fixture?.close())

  const keyOf = async (account: string) => (await fixture.service.createKey(account, ['generate:workflow'])).apiKey
  const apply = (slug: string, engine: object, changes: object = {}) =>
    applyWorkflow(fixture.runtime, slug, { base_url: cog.url, max_in_flight: LIMIT, ...engine }, changes)
  const submit = (slug: string, count: number, as = key) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        submitPrompt(fixture.service.url, as, slug, `Number ${n}`, `${fixture.receiver.url}/webhooks`),
      ),
    )
  const jobs = async (ids: readonly string[]) => {
    const { rows } = await fixture.runtime.db.pool.query<{ status: string; error_code: string | null; cause: string }>(
      `select status, error_code, cause, extract(epoch from completed_at - started_at)::float8 as seconds
       from job where id = any($1) order by id`,
      [ids],
    )
    return rows
  }
  const haveBoth = async () => {
    const rows = await fixture.runtime.db.prisma.worker.findMany()
    return rows.filter(({ permits }) => (permits as Record<string, number>)[cog.url]).length === 2
  }
  const balance = async () =>
    (await fixture.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: fixture.account } })).credits

  test.each([true, false])(
    'never has more than max_in_flight predictions while a worker is killed (polled: %s)',
    async (polled) => {
      const slug = `killed-${polled}`
      await apply(slug, {})
      await until(haveBoth, TIMEOUT_MS, 'both workers to have a part of the limit')
      // Longer than it takes to find out that a worker has died: what it left is there when others come.
      const end = Promise.withResolvers<void>()
      cog.answer((_call, index) => (index < LIMIT ? { polled, until: end.promise } : { polled, ms: 50 }))
      // After this account it is the other's turn: its jobs come before those that are taken over.
      const held = await submit(slug, LIMIT, await keyOf(await fixture.service.createAccount()))
      await until(() => cog.running() === LIMIT, TIMEOUT_MS, 'the server to be full')
      const ids = [...held, ...(await submit(slug, 30))]
      await workers.shift()!.stop('SIGKILL')
      await until(() => cog.calls.length > LIMIT, TIMEOUT_MS, 'its places to be used again')
      workers.push(await fixture.startWorker('gpu'))
      await until(() => cog.calls.length > 2 * LIMIT, TIMEOUT_MS, 'some progress')
      end.resolve()
      await allFinished(fixture.runtime, ids)
      expect(new Set((await jobs(ids)).map(({ status }) => status))).toEqual(new Set(['completed']))
      expect(cog.mostRunning()).toBe(LIMIT)
      expect(await fixture.auditAll(ids, false)).toEqual([])
    },
  )

  test('killed in the middle of a backlog, it is asked a few times only while it is down, and loses no job', async () => {
    await apply('backlog', { max_in_flight: 16 })
    cog.answer((_call, index) => ({ ms: 100, polled: index % 2 === 0 }))
    const ids = await submit('backlog', 80)
    await until(() => cog.calls.length > 30, TIMEOUT_MS, 'the backlog to be under way')
    const { port } = cog
    await cog.close()
    const knocks = await crashingFor(DOWN_MS, port)
    process.stderr.write(`asked ${knocks} times in ${DOWN_MS / 1000} s by 2 workers with 16 predictions\n`)
    // Each of the 16 would have asked five times or more.
    expect(knocks).toBeLessThan(64)
    expect(knocks).toBeGreaterThan(0)

    cog = await startCogServer(port)
    cog.answer(() => ({ ms: 20 }))
    await allFinished(fixture.runtime, ids)
    expect(new Set((await jobs(ids)).map(({ status }) => status))).toEqual(new Set(['completed']))
    expect(cog.mostRunning()).toBeLessThanOrEqual(16)
    expect(await fixture.auditAll(ids, false)).toEqual([])
  })

  test('gone for good, it fails jobs as PROVIDER_UNAVAILABLE with a refund, and not before retry_seconds are over', async () => {
    const [port] = await freePorts(1)
    await apply('gone', { base_url: `http://127.0.0.1:${port}`, max_in_flight: 8, retry_seconds: RETRY_SECONDS })
    const before = await balance()
    const ids = await submit('gone', 6)
    await allFinished(fixture.runtime, ids)
    for (const job of await jobs(ids)) {
      expect(job).toMatchObject({ status: 'failed', error_code: 'PROVIDER_UNAVAILABLE' })
      expect(job.cause).not.toBe('')
      expect((job as unknown as { seconds: number }).seconds).toBeGreaterThanOrEqual(RETRY_SECONDS)
    }
    expect(await balance()).toBe(before)
    expect(await fixture.auditAll(ids, false)).toEqual([])
  })
})
