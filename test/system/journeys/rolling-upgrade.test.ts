import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import type { VoiceJob } from '../../setup/jobs/fixtures.ts'
import { type OwnDatabase, startOwnDatabase } from '../../setup/postgres/own-database.ts'
import { migrateAsBefore } from '../../setup/postgres/replaced-migrations.ts'
import { cleanUp, environment, makeTempDir, run } from '../../setup/processes/process.ts'
import { endProcesses, startProcess, startRole } from '../../setup/processes/processes.ts'
import { unpackRelease } from '../../setup/processes/released.ts'
import { type Certificates, testCertificates } from '../../setup/servers/certificates.ts'
import { type Receiver, startReceiver } from '../../setup/servers/receiver.ts'
import { WEBHOOK_ENV } from '../../setup/service/webhooks.ts'
import { readWav } from '../../setup/speech/wav.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const CLIENTS = 4
/** Submitted at each API, and ended, before the next process is replaced. */
const JOBS_A_STEP = 5
const HOOK = '/hook'

let database: OwnDatabase
let certificates: Certificates
let receiver: Receiver
beforeAll(async () => {
  certificates = testCertificates()
  ;[database, receiver] = await Promise.all([startOwnDatabase(), startReceiver(certificates.good)])
})
afterAll(async () => {
  await endProcesses()
  await Promise.all([database?.close(), receiver?.close()])
  await cleanUp()
})

/**
 * Clients that submit at all APIs in turn, each text once, ask the next API how its job is until that has ended, and load the audio from yet
 * another, as a load balancer has it.
 */
function openLoad(key: string) {
  const ended = new Map<string, string[]>()
  let [apis, count, isOn] = [[] as readonly string[], 0, true]
  const next = () => apis[count++ % apis.length]!
  const ask = async (url: string, status: number, options: object = {}) => {
    const answer = await call(url, { key, ...options })
    expect([url, answer.status, answer.text]).toEqual([url, status, answer.text])
    return answer
  }
  const speak = async () => {
    while (isOn) {
      const api = next()
      const body = { inputs: { text: `${count}.`, voice: 'aria' }, webhook_url: receiver.url + HOOK }
      const { job_id: id } = (await ask(`${api}/api/v1/voice/tts`, 202, { method: 'POST', body })).json<VoiceJob>()
      const read = async () => (await ask(`${next()}/api/v1/voice/jobs/${id}`, 200)).json<VoiceJob>().outputs?.audio
      const audio = await until(read, TIMEOUT_MS, `the audio of ${id}, submitted at ${api}`)
      const { pathname, search } = new URL(audio!)
      expect(readWav((await ask(next() + pathname + search, 200)).bytes).whole).toBe(true)
      ended.set(api, [...(ended.get(api) ?? []), id])
    }
  }
  let clients: Promise<unknown> = Promise.resolve()
  const endedAt = (api: string) => ended.get(api)?.length ?? 0
  return {
    ids: () => [...ended.values()].flat(),
    /** From now on it goes to these. */
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

test('from the last release to this one, process by process and under load, and back: every job that was accepted is heard, charged and announced once', async () => {
  const [folder, dataDir, ports] = await Promise.all([makeTempDir(), makeTempDir(), freePorts(2)])
  const { main } = await unpackRelease(folder)
  const shared = { DATABASE_URL: database.url, DATA_DIR: dataDir, SECRET_KEY: 's'.repeat(40), LOG_LEVEL: 'error' }
  const hooks = { ...WEBHOOK_ENV, NODE_EXTRA_CA_CERTS: certificates.caFile }
  const env = { ...shared, ...hooks, HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0', SHUTDOWN_SECONDS: '20' }
  const [oldApi, newApi] = ports.map((port) => ({ PORT: String(port), url: `http://127.0.0.1:${port}` }))
  // It runs on today's packages: what those deprecate is no matter of the release.
  const released = [process.execPath, '--no-deprecation', main]
  const startReleased = (role: string, more: object = {}) =>
    startProcess([...released, role], { ...env, ...more }, /^Sonant (listens|works)/m)
  const ofRelease = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(
      (await promisify(execFile)(process.execPath, [main, ...args, '--json'], { env: environment(env) })).stdout,
    )

  await migrateAsBefore(database.url)
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
  await load.goesOn()

  // And back, the API first: the release starts again next to this version, and then is alone.
  const apiAgain = await startReleased('serve', { PORT: oldApi!.PORT })
  load.leadTo(oldApi!.url, newApi!.url)
  await load.goesOn()
  load.leadTo(oldApi!.url)
  await load.goesOn()
  expect(await nextApi.stop()).toBe(0)
  const workerAgain = await startReleased('work')
  await load.goesOn()
  expect(await nextWorker.stop()).toBe(0)
  await load.goesOn()
  await load.stop()

  const ids = load.ids()
  await receiver.waitFor(HOOK, ids.length)
  const logs = [api, worker, nextApi, nextWorker, apiAgain, workerAgain].map((one) => one.stderr())
  const received = receiver.received(HOOK)
  const door = { url: oldApi!.url, key }
  expect(await audit(current, ids, { door, received, logs, secrets: [key] })).toEqual([])
  const announced = received.map(({ body }) => JSON.parse(body.toString()).job_id)
  expect(announced.toSorted()).toEqual(ids.toSorted())
  const { rows } = await current.db.pool.query('select status, count(*)::int as jobs from job group by 1')
  expect(rows).toEqual([{ status: 'completed', jobs: ids.length }])
  expect(logs.join('')).toBe('')
  await current.close()
}, 240_000)
