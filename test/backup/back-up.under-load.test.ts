import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyArtifacts } from '../../src/backup/artifacts.ts'
import type { Manifest } from '../../src/backup/manifest.ts'
import { runBackup, runRestore } from '../../src/backup/run-backup.ts'
import { readSettings } from '../../src/context/config.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { audit, VIOLATIONS } from '../setup/audit/audit.ts'
import { applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'
import { readWav } from '../setup/speech/wav.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const CALLERS = 3
/** Each of them stops after so many, however long the backup takes. */
const MOST_SUBMISSIONS = 2_000
const RENDERED_BEFORE = 30
const HELD = 'Held until the backup has ended.'
const log = openLog('silent')

interface Job {
  readonly id: string
  readonly status: string
}
interface Artifact {
  readonly job_id: string
  readonly key: string
  readonly bytes: number
  readonly sha256: Buffer
}

/** The load while the backup was made. */
interface Load {
  /** The jobs of all submissions, also of those that came after it. */
  readonly accepted: readonly string[]
  readonly acceptedByItsEnd: number
  /** Jobs that were rendered between its moment and its end. */
  readonly endedMeanwhile: number
}

const clean: (() => Promise<unknown>)[] = []
let dir: string
let manifest: Manifest
let load: Load
let restored: Runtime

const tempDir = async () => {
  const made = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
  clean.push(() => rm(made, { recursive: true, force: true }))
  return made
}
const rows = async <T>({ db }: Runtime, sql: string, values: unknown[] = []): Promise<T[]> =>
  (await db.pool.query(sql, values)).rows as T[]
const countSince = async (runtime: Runtime, moment: string) =>
  (await rows(runtime, `select from job where status = 'completed' and completed_at > $1`, [moment])).length
const unfinished = (runtime: Runtime) => rows<Job>(runtime, 'select id, status from job where completed_at is null')

/** Callers that submit one text after the other until they are stopped; a text that is held is rendered once they are. */
async function submitAndRender(service: TestRuntime) {
  const key = (await service.createCaller()).key
  const accepted: string[] = []
  const stopped = new AbortController()
  const isStopped = new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve()))
  const engines = standInEngines(({ text }) => (text === HELD ? isStopped : undefined))
  const worker = await startWorker(service.runtime, { pools: ['quick'], engines })
  const submit = async (text: string) => accepted.push(await submitText(service.url, key, 'quick', text))
  const submitAll = async (caller: number) => {
    for (let n = 0; n < MOST_SUBMISSIONS && !stopped.signal.aborted; n++) await submit(`Caller ${caller} says ${n}.`)
  }
  await submit(HELD)
  const callers = Promise.all(Array.from({ length: CALLERS }, (_none, caller) => submitAll(caller)))
  const stop = async () => {
    stopped.abort()
    await callers.finally(() => worker.stop())
  }
  return { accepted, stop }
}

async function backUpUnderLoad(service: TestRuntime): Promise<Load> {
  const { runtime } = service
  const { accepted, stop } = await submitAndRender(service)
  try {
    const isBusy = async () => (await countSince(runtime, new Date(0).toISOString())) > RENDERED_BEFORE
    await until(isBusy, TIMEOUT_MS, 'jobs that have ended')
    const isHeld = async () => (await rows(runtime, `select from job where status = 'processing'`)).length > 0
    await until(isHeld, TIMEOUT_MS, 'a job that is rendered')
    manifest = await runBackup(runtime.settings, log, dir)
    const acceptedByItsEnd = accepted.length
    return { accepted, acceptedByItsEnd, endedMeanwhile: await countSince(runtime, manifest.madeAt) }
  } finally {
    await stop()
  }
}

beforeAll(async () => {
  const service = await startTestRuntime()
  clean.push(() => service.close())
  await applyEndpoint(service.runtime, 'quick', { pool: 'quick' })
  dir = join(await tempDir(), 'backup')
  load = await backUpUnderLoad(service)
  const settings = readSettings({ DATA_DIR: await tempDir(), LOG_LEVEL: 'silent', WARM_UP: 'off' })
  await runRestore(settings, log, dir)
  restored = await openRuntime(settings, log, { supervise: true })
  clean.push(() => restored.close())
})
afterAll(async () => {
  for (const end of clean.reverse()) await end()
})

const artifactsOf = (runtime: Runtime) =>
  rows<Artifact>(runtime, 'select job_id, storage_key as key, bytes::int as bytes, sha256 from artifact')
const audioOf = async (runtime: Runtime, { key }: Artifact) => buffer(await runtime.storage.read(key))
/** Finds completed jobs without audible audio. */
async function silentJobs(runtime: Runtime): Promise<string[]> {
  const artifacts = await artifactsOf(runtime)
  const heard = new Set<string>()
  for (const artifact of artifacts) {
    const { whole, peak, durationMs } = readWav(await audioOf(runtime, artifact))
    if (whole && peak > 1_000 && durationMs > 100) heard.add(artifact.job_id)
  }
  const jobs = await rows<Job>(runtime, `select id from job where status = 'completed'`)
  return jobs.map(({ id }) => id).filter((id) => !heard.has(id))
}

describe('a backup that is made while jobs are submitted and rendered', () => {
  test('holds jobs that have ended and jobs that have not, and keeps none of either from going on', async () => {
    const jobs = await rows<Job>(restored, 'select id, status from job')
    expect(jobs.map(({ status }) => status)).toEqual(expect.arrayContaining(['completed', 'processing']))
    expect(load.accepted).toEqual(expect.arrayContaining(jobs.map(({ id }) => id)))
    expect(load.acceptedByItsEnd).toBeGreaterThan(jobs.length)
    expect(load.endedMeanwhile).toBeGreaterThan(0)
  })

  test('has the audio of every row, by its checksum and its length, and all that has ended can be heard', async () => {
    await verifyArtifacts(dir, manifest.artifacts)
    const artifacts = await artifactsOf(restored)
    expect(artifacts.length).toBeGreaterThan(RENDERED_BEFORE)
    expect(manifest.artifacts).toMatchObject({ files: artifacts.length, gone: [] })
    for (const artifact of artifacts) {
      const audio = await audioOf(restored, artifact)
      const sha256 = createHash('sha256').update(audio).digest('hex')
      expect([audio.length, sha256]).toEqual([artifact.bytes, artifact.sha256.toString('hex')])
    }
    expect(await silentJobs(restored)).toEqual([])
  })

  test('agrees with itself: the ledger makes the credits, and no row contradicts another', async () => {
    const sums = await rows<{ credits: string; ledger: string }>(
      restored,
      `select a.credits, (select sum(amount) from credit_entry e where e.account_id = a.id) as ledger
       from account a where exists (select from job j where j.account_id = a.id)`,
    )
    expect(sums).toHaveLength(1)
    for (const { credits, ledger } of sums) expect(ledger).toBe(credits)
    for (const [what, sql] of Object.entries(VIOLATIONS)) expect([what, await rows(restored, sql)]).toEqual([what, []])
  })

  test('of a worker over what was restored every job ends, also one that was being rendered', async () => {
    const waiting = await unfinished(restored)
    expect(waiting.length).toBeGreaterThan(0)
    // A worker leaves jobs alone whose submission may not be over.
    await rows(restored, `update job set created_at = created_at - interval '1 minute' where completed_at is null`)
    const worker = await startWorker(restored)
    clean.push(() => worker.stop())
    await until(async () => (await unfinished(restored)).length === 0, TIMEOUT_MS, 'the jobs that had waited')
    const ids = waiting.map(({ id }) => id)
    const ends = await rows<Job>(restored, 'select id, status from job where id = any($1)', [ids])
    expect(ends.filter(({ status }) => status !== 'completed')).toEqual([])
    expect(await silentJobs(restored)).toEqual([])
    const all = (await rows<Job>(restored, 'select id from job')).map(({ id }) => id)
    expect(await audit(restored, all, { restMs: 0 })).toEqual([])
  })
})
