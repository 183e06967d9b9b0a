import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { deleteAbandonedFiles } from '../../../src/jobs/lifecycle/produce.ts'
import { measureAtRest, watchedEnv } from '../../setup/audit/at-rest.ts'
import { audit, finalStates } from '../../setup/audit/audit.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { endProcesses, type Process, startControlledWorker } from '../../setup/processes/processes.ts'
import { type Checkpoint, type ControlServer, openControlServer } from '../../setup/servers/control-server.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 40_000
/** The dead worker's jobs are all claimed again by then; pg-boss alone would take minutes. */
const RECOVERY_DEADLINE_MS = 30_000
/** A stopped worker goes on after this time: long after its jobs have gone to others. */
const SLEEP_MS = 30_000
const WATCHED = 'control-server worker'
const POOL = 'control-server'
const HISTORY = '{ jobs(first: 100) { edges { node { attemptHistory { outcome error worker } } } } }'
const JOBS = 50
const SLOTS = 25

interface Tried {
  readonly outcome: string | null
  readonly error: string | null
  readonly worker: string | null
}

describe('a worker that dies', { timeout: 240_000 }, () => {
  let service: TestRuntime
  let controlServer: ControlServer
  let workers: Process[] = []

  beforeAll(async () => {
    service = await startTestRuntime()
    controlServer = await openControlServer()
    await applyEndpoint(service.runtime, 'control-server', { pool: POOL, max_in_flight: JOBS })
  })
  afterEach(async () => {
    controlServer.hold = () => undefined
    await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')))
    // The next test's workers would wait for the dead ones' jobs.
    await service.runtime.db.pool.query('delete from worker')
  })
  afterAll(async () => {
    await endProcesses()
    await controlServer.close()
    await service.close()
  })

  const start = async (count: number) => {
    const env = {
      ...watchedEnv(service.runtime.settings.databaseUrl ?? '', WATCHED),
      DATA_DIR: service.dataDir,
      LOG_LEVEL: 'error',
      SHUTDOWN_SECONDS: '2',
    }
    const started = await Promise.all(
      Array.from({ length: count }, () => startControlledWorker(POOL, controlServer.url, env)),
    )
    workers = started
    return started
  }
  const submit = (key: string, texts: readonly string[]) =>
    Promise.all(texts.map((text) => submitText(service.url, key, 'control-server', text)))
  const seen = (what: Checkpoint['what'], names: (name: string) => boolean) =>
    controlServer.checkpoints.filter((checkpoint) => checkpoint.what === what && names(checkpoint.name))
  /** How many there are, whatever was released by a busy worker and came again. */
  const textsOf = (checkpoints: readonly Checkpoint[]) => new Set(checkpoints.map(({ name }) => name)).size
  /** Every attempt at the account's jobs, as an operator sees it. */
  const historyOf = async (account: string) => {
    const { apiKey } = await service.createKey(account, ['job:read', 'operator'])
    const { jobs } = await read<{ jobs: { edges: { node: { attemptHistory: Tried[] } }[] } }>(
      service.url,
      apiKey,
      HISTORY,
    )
    return jobs.edges.flatMap(({ node }) => node.attemptHistory)
  }
  const evidence = (key: string) => ({
    door: { url: service.url, key },
    logs: workers.map((worker) => worker.stderr()),
    secrets: [key, ...controlServer.checkpoints.flatMap(({ what, name }) => (what === 'speak' ? [name] : []))],
  })

  test('kill -9 while 50 jobs render: the other worker has all of the dead one within seconds, and all complete', async () => {
    const { key, account } = await service.createCaller()
    const gate = Promise.withResolvers<void>()
    controlServer.hold = ({ what }) => (what === 'speak' ? gate.promise : undefined)
    const both = await start(2)
    const texts = Array.from({ length: JOBS }, (_, index) => `Killed ${index}.`)
    const spoken = () => seen('speak', (name) => name.startsWith('Killed '))
    const ids = await submit(key, texts)
    await until(() => textsOf(spoken()) === JOBS, TIMEOUT_MS, 'all jobs to be at the engine')
    // A worker that has just joined leaves the others time to make room: one of the two may hold all jobs.
    const victim = both.find(({ pid }) => pid === spoken()[0]?.pid)
    const heir = both.find((worker) => worker !== victim)
    const lost = spoken().filter(({ pid }) => pid === victim!.pid)
    expect(lost.length).toBeGreaterThan(0)
    await victim!.stop('SIGKILL')
    const killed = performance.now()
    const again = () => textsOf(spoken().filter(({ pid }) => pid === heir!.pid)) === JOBS
    await until(again, RECOVERY_DEADLINE_MS, 'the jobs to be claimed again')
    const seconds = (performance.now() - killed) / 1000
    process.stderr.write(`${lost.length} of ${JOBS} jobs claimed again after ${seconds.toFixed(1)} s\n`)
    gate.resolve()
    await allFinished(service.runtime, ids)
    expect(await audit(service.runtime, ids, evidence(key))).toEqual([])
    const history = await historyOf(account)
    const ended = history.filter(({ outcome }) => outcome === 'LOST')
    expect(ended.map(({ error }) => error)).toEqual(lost.map(() => 'Its worker was lost.'))
    expect(new Set(ended.map(({ worker }) => worker)).size).toBe(1)
    expect(history.filter(({ outcome }) => outcome === 'COMPLETED')).toHaveLength(JOBS)
  })

  test('kill -9 after storing and before committing: the job is rendered again, charged once and completed', async () => {
    const { key } = await service.createCaller()
    const [first] = await start(2)
    let held: Checkpoint | undefined
    controlServer.hold = (checkpoint) => {
      if (checkpoint.what !== 'stored' || held !== undefined) return undefined
      held = checkpoint
      return new Promise(() => undefined)
    }
    const [id] = await submit(key, ['Stored in vain.'])
    await until(() => held, TIMEOUT_MS, 'the artifact to be stored')
    const victim = workers.find(({ pid }) => pid === held!.pid) ?? first!
    await victim.stop('SIGKILL')
    await allFinished(service.runtime, [id!])
    expect(seen('speak', (name) => name === 'Stored in vain.').length).toBeGreaterThanOrEqual(2)
    expect(held!.name).toBe(`${id}/1/audio.wav`)
    expect(await service.runtime.storage.stat(held!.name)).not.toBeNull()
    expect(await deleteAbandonedFiles(service.runtime, 0)).toBeGreaterThan(0)
    expect(await service.runtime.storage.stat(held!.name)).toBeNull()
    expect(await audit(service.runtime, [id!], evidence(key))).toEqual([])
  })

  test('kill -9 after committing and before the queue hears of it: nothing is rendered, charged or changed again', async () => {
    const { key, account } = await service.createCaller()
    const { pool } = service.runtime.db
    const [victim] = await start(1)
    controlServer.hold = ({ what }) => (what === 'speak' ? new Promise(() => undefined) : undefined)
    const [id] = await submit(key, ['Committed in time.'])
    await until(() => seen('speak', (name) => name === 'Committed in time.').length, TIMEOUT_MS, 'the rendering')
    const lock = await pool.connect()
    try {
      await lock.query(BEGIN_HELD)
      await lock.query(`select from pgboss.job where data->>'jobId' = $1 for update`, [id])
      // A completion deletes the queue row in its own transaction. A cancellation leaves it to the worker, which waits for the lock here.
      await cancelJob(service.runtime.as({ kind: 'account', accountId: account, credits: 1n }), { jobId: id! })
      await victim!.stop('SIGKILL')
    } finally {
      await lock.query('rollback')
      lock.release()
    }
    const spoken = () => seen('speak', (name) => name === 'Committed in time.').length
    const [before, once] = [await finalStates(service.runtime), spoken()]
    const open = `select from pgboss.job where data->>'jobId' = $1 and name = 'voice.${POOL}' and state <> 'completed'`
    await start(1)
    await until(async () => (await pool.query(open, [id])).rowCount === 0, TIMEOUT_MS, 'the queue row to be settled')
    expect(spoken()).toBe(once)
    expect(await finalStates(service.runtime)).toEqual(before)
    expect(await audit(service.runtime, [id!], evidence(key))).toEqual([])
  })

  test('a worker that sleeps for 30 s, until others did its jobs, writes nothing when it wakes up, one rendered, the other stored', async () => {
    const { key } = await service.createCaller()
    const [sleeper] = await start(1)
    const before = await measureAtRest({ ...sleeper!, name: WATCHED })
    const gate = Promise.withResolvers<void>()
    const rendering = 'Slept through it.'
    const held: Checkpoint[] = []
    controlServer.hold = (checkpoint) => {
      if (checkpoint.pid !== sleeper!.pid || (checkpoint.what === 'speak' && checkpoint.name !== rendering))
        return undefined
      held.push(checkpoint)
      return gate.promise
    }
    const ids = await submit(key, [rendering, 'Slept over it.'])
    await until(() => held.length === 2, TIMEOUT_MS, 'a rendering, and an artifact to be stored')
    expect(new Set(held.map(({ what }) => what))).toEqual(new Set(['speak', 'stored']))
    sleeper!.signal('SIGSTOP')
    const wakesAt = performance.now() + SLEEP_MS
    const both = [sleeper!, ...(await start(1))]
    workers = both
    await allFinished(service.runtime, ids)
    const states = await finalStates(service.runtime)
    const artifacts = () =>
      service.runtime.db.prisma.artifact.findMany({ where: { jobId: { in: ids } }, orderBy: { id: 'asc' } })
    const kept = await artifacts()
    await until(() => performance.now() > wakesAt, SLEEP_MS * 2, 'the end of the sleep')
    gate.resolve()
    sleeper!.signal('SIGCONT')
    // It is awake once it beats again, and done with the jobs once it says that it has none.
    const idle = async () => {
      const rows = await service.runtime.db.prisma.worker.findMany()
      const awake = rows.filter(({ heartbeatAt }) => Date.now() - heartbeatAt.getTime() < 1500)
      return awake.length === 2 && awake.every(({ inFlight }) => inFlight === 0)
    }
    await until(idle, TIMEOUT_MS, 'the sleeper to be idle')
    expect(await finalStates(service.runtime)).toEqual(states)
    expect(await artifacts()).toEqual(kept)
    expect(kept.map(({ storageKey }) => storageKey).sort()).toEqual(ids.map((id) => `${id}/2/audio.wav`).sort())
    for (const id of ids) expect(await service.runtime.storage.stat(`${id}/1/audio.wav`)).toBeNull()
    expect(both.every((worker) => worker.runs())).toBe(true)
    expect(await audit(service.runtime, ids, evidence(key))).toEqual([])
    // The other one's connections have the same name.
    await both[1]!.stop('SIGKILL')
    expect(await audit(service.runtime, ids, { before: [before] })).toEqual([])
  })

  test('a worker that gets SIGTERM releases its running jobs within SHUTDOWN_SECONDS and exits 0, and the others finish them', async () => {
    const { key, account } = await service.createCaller()
    const both = await start(2)
    const gate = Promise.withResolvers<void>()
    controlServer.hold = ({ what }) => (what === 'speak' ? gate.promise : undefined)
    const texts = Array.from({ length: SLOTS }, (_, index) => `Released ${index}.`)
    const ids = await submit(key, texts)
    const spoken = () => seen('speak', (name) => name.startsWith('Released'))
    await until(() => textsOf(spoken()) === SLOTS, TIMEOUT_MS, 'all jobs to be at the engine')
    // One of the two may hold all jobs.
    const leaver = both.find(({ pid }) => pid === spoken()[0]?.pid)
    const other = both.find((worker) => worker !== leaver)
    const asked = performance.now()
    expect(await leaver!.stop()).toBe(0)
    // SHUTDOWN_SECONDS is 2, and the jobs would never end.
    expect(performance.now() - asked).toBeLessThan(20_000)
    const all = () => new Set(spoken().flatMap(({ name, pid }) => (pid === other!.pid ? [name] : []))).size === SLOTS
    await until(all, RECOVERY_DEADLINE_MS, 'the other worker to have them all')
    gate.resolve()
    await allFinished(service.runtime, ids)
    expect(await audit(service.runtime, ids, evidence(key))).toEqual([])
    const history = await historyOf(account)
    expect(history.filter(({ outcome }) => outcome === 'COMPLETED')).toHaveLength(SLOTS)
    const released = history.filter(({ error }) => error === 'Its worker was stopped.')
    expect(released.length).toBeGreaterThan(0)
    expect(new Set(released.map(({ outcome, worker }) => `${outcome} ${worker}`)).size).toBe(1)
  })
})
