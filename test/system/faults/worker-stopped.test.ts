import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { endProcesses, type Process, startRole } from '../../setup/processes/processes.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const JOBS = 10
const STOPS = Number(process.env.FAULT_STOPS ?? 5)
const STOPPED_MS = Number(process.env.FAULT_STOPPED_MS ?? 300)
const ENDPOINT = 'spoken'

let service: TestRuntime
let speech: SpeechServer
let key: string
beforeAll(async () => {
  ;[service, speech] = await Promise.all([startTestRuntime({ env: { LOG_LEVEL: 'silent' } }), startSpeechServer()])
  await applyEndpoint(service.runtime, ENDPOINT, { base_url: speech.url, max_in_flight: JOBS })
  key = (await service.createCaller()).key
})
afterAll(async () => {
  await endProcesses()
  await service.close()
  await speech.close()
})

const startWorker = (): Promise<Process> => {
  const env = { DATABASE_URL: service.runtime.settings.databaseUrl ?? '', DATA_DIR: service.dataDir, LOG_LEVEL: 'warn' }
  return startRole(['work'], env)
}
const submit = (what: string) =>
  Promise.all(Array.from({ length: JOBS }, (_, n) => submitText(service.url, key, ENDPOINT, `${what} ${n}.`)))
const isWell = async (ids: readonly string[], workers: readonly Process[]) => {
  await allFinished(service.runtime, ids, TIMEOUT_MS + STOPS * STOPPED_MS)
  const logs = workers.map((worker) => worker.stderr())
  expect(await audit(service.runtime, ids, { door: { url: service.url, key }, logs, secrets: [key] })).toEqual([])
  const { rows } = await service.runtime.db.pool.query('select distinct status from job')
  expect(rows).toEqual([{ status: 'completed' }])
}

test.skipIf(memoryCgroup() === undefined)(
  'a worker that the kernel kills for the memory of its cgroup loses no job: another one completes them, each charged once',
  { timeout: 120_000 },
  async () => {
    const cgroup = memoryCgroup()!
    const gate = Promise.withResolvers<void>()
    speech.answer(() => ({ until: gate.promise }))
    const victim = await startWorker()
    const ids = await submit('Killed')
    await until(() => speech.inFlight() === JOBS, TIMEOUT_MS, 'all jobs to be at the engine')
    mkdirSync(cgroup.path)
    try {
      writeFileSync(`${cgroup.path}/cgroup.procs`, String(victim.pid))
      // Counted is what it takes from now on: the first megabytes are too many.
      writeFileSync(`${cgroup.path}/${cgroup.limit}`, '1M')
      speech.answer(() => ({}))
      gate.resolve()
      await until(() => !victim.runs(), TIMEOUT_MS, 'the kernel to kill the worker')
    } finally {
      await victim.stop('SIGKILL')
      await until(() => removed(cgroup.path), TIMEOUT_MS, 'the cgroup to be empty')
    }
    const heir = await startWorker()
    await isWell(ids, [victim, heir])
    expect(await heir.stop()).toBe(0)
  },
)

test('a worker that is stopped and goes on, again and again under load, loses no job and charges none twice', {
  timeout: STOPS * (2 * STOPPED_MS + 5_000) + 120_000,
}, async () => {
  const worker = await startWorker()
  const ids: string[] = []
  for (let count = 0; count < STOPS; count++) {
    const stopped = Promise.withResolvers<void>()
    // Some of its answers come while it is stopped.
    speech.answer(() => ({ until: stopped.promise, delayMs: (Math.random() * STOPPED_MS) / 3 }))
    ids.push(...(await submit(`Stopped ${count},`)))
    await until(() => speech.inFlight() > 0, TIMEOUT_MS, 'jobs to be at the engine')
    worker.signal('SIGSTOP')
    stopped.resolve()
    const wakesAt = performance.now() + STOPPED_MS
    await until(() => performance.now() > wakesAt, STOPPED_MS * 2, 'the worker to go on')
    worker.signal('SIGCONT')
  }
  await isWell(ids, [worker])
  expect(await worker.stop()).toBe(0)
})

/** A memory cgroup of this test's own, v1 or v2, where this user may make one. */
function memoryCgroup(): { path: string; limit: string } | undefined {
  const name = `sonant-test-${process.pid}`
  const kinds = [
    { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
    { root: '/sys/fs/cgroup', limit: 'memory.max' },
  ]
  return kinds
    .map(({ root, limit }) => ({ path: `${root}/${name}`, limit }))
    .find(({ path, limit }) => {
      try {
        mkdirSync(path)
        const isThere = existsSync(`${path}/${limit}`)
        rmdirSync(path)
        return isThere
      } catch {
        return false
      }
    })
}

function removed(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return !existsSync(path)
  }
}
