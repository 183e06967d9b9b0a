import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { type OwnDatabase, startOwnDatabase } from '../../setup/own-database.ts'
import { cleanUp, environment, makeTempDir, run } from '../../setup/process.ts'
import { endProcesses, startProcess, startRole } from '../../setup/processes.ts'
import { unpackRelease } from '../../setup/released.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const CLIENTS = 4
/** Submitted at each API, and ended, before the next process is replaced. */
const JOBS_A_STEP = 10

let database: OwnDatabase
beforeAll(async () => {
  database = await startOwnDatabase()
})
afterAll(async () => {
  await endProcesses()
  await database.close()
  await cleanUp()
})

/** Clients that submit at all APIs in turn, each text once, and ask the next API how its job is until that has ended. */
function openLoad(key: string) {
  const ended = new Map<string, string[]>()
  let [apis, count, isOn] = [[] as readonly string[], 0, true]
  const next = () => apis[count++ % apis.length]!
  const ask = async (url: string, status: number, options: object = {}) => {
    const answer = await call(url, { key, ...options })
    expect([url, answer.status, answer.text]).toEqual([url, status, answer.text])
    return answer.json<{ job_id: string; status: string }>()
  }
  const speak = async () => {
    while (isOn) {
      const api = next()
      const body = { inputs: { text: `${count}.`, voice: 'aria' } }
      const { job_id: id } = await ask(`${api}/api/v1/voice/tts`, 202, { method: 'POST', body })
      const isOver = async () => (await ask(`${next()}/api/v1/jobs/${id}`, 200)).status === 'completed'
      await until(isOver, TIMEOUT_MS, `the job ${id}, submitted at ${api}`)
      ended.set(api, [...(ended.get(api) ?? []), id])
    }
  }
  let clients: Promise<unknown> = Promise.resolve()
  const endedAt = (api: string) => ended.get(api)?.length ?? 0
  return {
    ids: () => [...ended.values()].flat(),
    /** From now on it goes to these, as a load balancer has it. */
    leadTo: (...urls: readonly string[]) => {
      const isFirst = apis.length === 0
      apis = urls
      if (isFirst) clients = Promise.all(Array.from({ length: CLIENTS }, speak))
    },
    /** Waits until more jobs have ended that were submitted at each of them. */
    goesOn: async () => {
      const before = apis.map(endedAt)
      const isThere = () => apis.every((api, at) => endedAt(api) >= before[at]! + JOBS_A_STEP)
      await Promise.race([until(isThere, TIMEOUT_MS, 'more jobs to end'), clients])
    },
    stop: () => {
      isOn = false
      return clients
    },
  }
}

test('from the last release to this one, process by process and under load: every job that was accepted ends, charged once', async () => {
  const [folder, dataDir, ports] = await Promise.all([makeTempDir(), makeTempDir(), freePorts(2)])
  const { main } = await unpackRelease(folder)
  const shared = { DATABASE_URL: database.url, DATA_DIR: dataDir, SECRET_KEY: 's'.repeat(40), LOG_LEVEL: 'error' }
  const env = { ...shared, HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0', SHUTDOWN_SECONDS: '20' }
  const [oldApi, newApi] = ports.map((port) => ({ PORT: String(port), url: `http://127.0.0.1:${port}` }))
  const startReleased = (role: string, more: object = {}) =>
    startProcess([process.execPath, main, role], { ...env, ...more }, /^Sonant (listens|works)/m)
  const ofRelease = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(
      (await promisify(execFile)(process.execPath, [main, ...args, '--json'], { env: environment(env) })).stdout,
    )

  const api = await startReleased('serve', { PORT: oldApi!.PORT })
  const worker = await startReleased('work')
  await ofRelease('accounts', 'create', '--name', 'a', '--credits', '1000000')
  const { api_key: key } = await ofRelease<{ api_key: string }>('keys', 'create', '--account', 'a', '--name', 'k')
  const load = openLoad(key)
  load.leadTo(oldApi!.url)
  await load.goesOn()

  // The release's processes serve on while the schema is migrated, and after it.
  const migrated = await run(['migrate'], env)
  expect([migrated.code, migrated.stderr]).toEqual([0, ''])
  await load.goesOn()
  const current = await openRuntime(readSettings(env), openLog('error'), { supervise: false })

  // Its worker speaks what this version's API accepts, and this version's worker what its API accepts.
  const nextApi = await startRole(['serve'], { ...env, PORT: newApi!.PORT })
  load.leadTo(oldApi!.url, newApi!.url)
  await load.goesOn()
  const nextWorker = await startRole(['work'], env)
  expect(await worker.stop()).toBe(0)
  await load.goesOn()
  load.leadTo(newApi!.url)
  await load.goesOn()
  expect(await api.stop()).toBe(0)
  await load.stop()

  const logs = [api, worker, nextApi, nextWorker].map((one) => one.stderr())
  expect(await audit(current, load.ids(), { door: { url: newApi!.url, key }, logs, secrets: [key] })).toEqual([])
  const { rows } = await current.db.pool.query('select status, count(*)::int as jobs from job group by 1')
  expect(rows).toEqual([{ status: 'completed', jobs: load.ids().length }])
  expect(logs).toEqual(['', '', '', ''])
  await current.close()
}, 240_000)
