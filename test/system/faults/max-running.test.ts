import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { updateAccount } from '../../../src/accounts/update-account.ts'
import { updateApiKey } from '../../../src/api-keys/change-api-key.ts'
import { audit } from '../../setup/audit/audit.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { endProcesses, type Process, startControlledWorker } from '../../setup/processes/processes.ts'
import { type ControlServer, openControlServer } from '../../setup/servers/control-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 40_000
const POOL = 'few-at-once'
const JOBS = 40
const MOST = 3
const SAMPLE_MS = 5

describe('a limit of running jobs over several worker processes', { timeout: 240_000 }, () => {
  let service: TestRuntime
  let controlServer: ControlServer
  const workers: Process[] = []

  beforeAll(async () => {
    service = await startTestRuntime()
    await applyEndpoint(service.runtime, POOL, { pool: POOL, max_in_flight: JOBS })
  })
  beforeEach(async () => {
    controlServer = await openControlServer()
  })
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')))
    await controlServer.close()
    await service.runtime.db.pool.query('delete from worker')
  })
  afterAll(async () => {
    await endProcesses()
    await service.close()
  })

  const start = async (count: number) => {
    const env = {
      DATABASE_URL: service.runtime.settings.databaseUrl ?? '',
      DATA_DIR: service.dataDir,
      LOG_LEVEL: 'error',
      SHUTDOWN_SECONDS: '2',
    }
    const started = await Promise.all(
      Array.from({ length: count }, () => startControlledWorker(POOL, controlServer.url, env)),
    )
    workers.push(...started)
    return started
  }
  const operator = () => service.runtime.as({ kind: 'system' })
  const submit = (key: string, count: number, name: string) =>
    Promise.all(Array.from({ length: count }, (_, n) => submitText(service.url, key, POOL, `${name} ${n}.`)))
  const spoken = (name: string, pid?: number) =>
    new Set(
      controlServer.checkpoints
        .filter((one) => one.what === 'speak' && one.name.startsWith(name) && (pid === undefined || one.pid === pid))
        .map((one) => one.name),
    )
  /** Samples how many jobs of an owner run. Returns a function that stops and says the most. */
  const watch = (column: 'api_key_id' | 'account_id', owner: string) => {
    let most = 0
    let sampling = Promise.resolve()
    const timer = setInterval(() => {
      sampling = sampling.then(async () => {
        const text = `select count(*)::int as jobs from job where ${column} = $1 and status = 'processing'`
        const { rows } = await service.runtime.db.pool.query<{ jobs: number }>(text, [owner])
        most = Math.max(most, rows[0]!.jobs)
      })
    }, SAMPLE_MS)
    return async () => {
      clearInterval(timer)
      await sampling
      return most
    }
  }

  test('40 jobs of a key with 3 places: kill -9 of the worker that has all three, and never a fourth runs', async () => {
    const { key, keyId } = await service.createCaller()
    const other = await service.createCaller()
    await updateApiKey(operator(), { apiKeyId: keyId, maxRunning: MOST })
    const gate = Promise.withResolvers<void>()
    controlServer.hold = ({ what }) => (what === 'speak' ? gate.promise : undefined)
    const [victim] = await start(1)
    const most = watch('api_key_id', keyId)
    const ids = await submit(key, JOBS, 'Limited')
    await until(() => spoken('Limited').size === MOST, TIMEOUT_MS, 'three jobs at the engine')
    await start(2)
    ids.push(...(await submit(other.key, 1, 'Free')))
    await until(() => spoken('Free').size === 1, TIMEOUT_MS, "another account's job at the engine")
    const held = spoken('Limited')
    await victim!.stop('SIGKILL')
    const living = workers.filter((worker) => worker !== victim).map(({ pid }) => pid)
    const again = () => living.flatMap((pid) => [...spoken('Limited', pid)])
    await until(() => new Set(again()).size === MOST, TIMEOUT_MS, 'the three jobs at the engine again')
    expect(new Set(again())).toEqual(held)
    gate.resolve()
    await allFinished(service.runtime, ids)
    expect(await most()).toBe(MOST)
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('a higher limit starts waiting jobs at once, and none all of them', async () => {
    const { key, account } = await service.createCaller()
    await updateAccount(operator(), { account, maxRunning: 1 })
    const gate = Promise.withResolvers<void>()
    controlServer.hold = ({ what }) => (what === 'speak' ? gate.promise : undefined)
    await start(2)
    const ids = await submit(key, JOBS / 4, 'Raised')
    const running = async (count: number, step: string) => {
      const since = performance.now()
      await until(() => spoken('Raised').size === count, TIMEOUT_MS, step)
      return performance.now() - since
    }
    await running(1, 'one job at the engine')
    await updateAccount(operator(), { account, maxRunning: MOST })
    const raised = await running(MOST, 'three jobs at the engine')
    await updateAccount(operator(), { account, maxRunning: null })
    const removed = await running(JOBS / 4, 'all jobs at the engine')
    process.stderr.write(`raised: ${raised.toFixed(0)} ms, removed: ${removed.toFixed(0)} ms\n`)
    gate.resolve()
    await allFinished(service.runtime, ids)
    expect(await audit(service.runtime, ids)).toEqual([])
  })
})
