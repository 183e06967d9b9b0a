import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { openLog } from '../../src/log.ts'
import { openRuntime, type Runtime } from '../../src/runtime.ts'
import { audit } from '../setup/audit.ts'
import { type FaultProxy, type OwnDatabase, startFaultProxy, startOwnDatabase } from '../setup/own-database.ts'
import { call, cleanUp, type Service, startService, until } from '../setup/service.ts'
import { allFinished } from '../setup/voice-jobs.ts'

const ENDING_MS = 90_000
/** The minute, cut down for every run: the rest is repetition. */
const LOAD_MS = 10_000
const RESTART_EVERY_MS = 3_000
/** The embedded PostgreSQL takes 200. */
const MORE_THAN_ALLOWED = 230

describe('a database in trouble', { timeout: 240_000 }, () => {
  let database: OwnDatabase
  let proxy: FaultProxy
  let service: Service
  let auditor: Runtime

  beforeAll(async () => {
    database = await startOwnDatabase()
    proxy = await startFaultProxy(database.url)
    const env = { DATABASE_URL: proxy.url, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'error', SHUTDOWN_SECONDS: '10' }
    service = await startService({ env, awaitKey: true })
    const { dataDir: DATA_DIR } = service
    const settings = readSettings({ DATABASE_URL: database.url, DATA_DIR, LOG_LEVEL: 'silent' })
    auditor = await openRuntime(settings, openLog('silent'), { supervise: false })
  })
  afterEach(() => {
    proxy.shares = { commit: 0, other: 0 }
  })
  afterAll(async () => {
    await service?.stop()
    await auditor?.close()
    await cleanUp()
    await proxy?.close()
    await database?.close()
  })

  /** Submits one job after the other until `over`; whatever is not accepted must be an honest refusal. */
  const load = async (over: () => boolean): Promise<{ accepted: string[]; refused: number }> => {
    const accepted: string[] = []
    let refused = 0
    for (let count = 0; !over(); count++) {
      const body = { inputs: { text: `Under load, ${count}.`, voice: 'aria' } }
      const submission = call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: service.key, body })
      const reply = await submission.catch((error: Error) => {
        throw new Error(`${error.message}; the service said: ${service.stderr()}`)
      })
      if (reply.status === 202) accepted.push(reply.json<{ job_id: string }>().job_id)
      else {
        refused++
        expect(reply.json<{ error_code: string }>().error_code).toBe('UNAVAILABLE')
      }
    }
    return { accepted, refused }
  }
  const loadFor = (milliseconds: number) => {
    const end = performance.now() + milliseconds
    return load(() => performance.now() > end)
  }
  /** Also the jobs whose 202 was lost: whatever is in the database ends, and the books are in order. */
  const allIsWell = async (accepted: readonly string[]) => {
    const { rows } = await until(
      () => auditor.db.pool.query<{ id: string }>('select id from job').catch(() => undefined),
      ENDING_MS,
      'the database',
    )
    const since = performance.now()
    await allFinished(
      auditor,
      rows.map(({ id }) => id),
      ENDING_MS,
    )
    process.stderr.write(`all jobs ended ${((performance.now() - since) / 1000).toFixed(1)} s after the load\n`)
    expect(await audit(auditor, accepted)).toEqual([])
    expect(service.stderr()).not.toMatch(/Error:/)
    expect(service.runs()).toBe(true)
  }

  test('PostgreSQL crashes and restarts every few seconds under load: every accepted job ends, and the process lives on', async () => {
    const end = performance.now() + LOAD_MS
    let crashes = 0
    const trouble = async () => {
      while (performance.now() < end) {
        const next = performance.now() + RESTART_EVERY_MS
        await until(() => performance.now() > next, RESTART_EVERY_MS * 2, 'the next crash')
        await database.restart()
        crashes++
      }
    }
    const [{ accepted }] = await Promise.all([loadFor(LOAD_MS), trouble()])
    expect(crashes).toBeGreaterThan(2)
    expect(accepted.length).toBeGreaterThan(5)
    await allIsWell(accepted)
  })

  test("connections are cut, also right before a COMMIT's reply: nothing is lost and nothing is done twice", async () => {
    proxy.cuts.commit = 0
    proxy.shares = { commit: 0.1, other: 0.01 }
    const { accepted } = await loadFor(LOAD_MS)
    proxy.shares = { commit: 0, other: 0 }
    expect(proxy.cuts.commit).toBeGreaterThan(3)
    expect(proxy.cuts.other).toBeGreaterThan(3)
    expect(accepted.length).toBeGreaterThan(5)
    await allIsWell(accepted)
  })

  test('all connections of the database are taken: refusals are 503, and everything goes on once some are free', async () => {
    const hogs: Client[] = []
    for (let count = 0; count < MORE_THAN_ALLOWED; count++) {
      const hog = new Client({ connectionString: database.url })
      hog.on('error', () => undefined)
      if (
        !(await hog.connect().then(
          () => true,
          () => false,
        ))
      )
        break
      hogs.push(hog)
    }
    expect(hogs.length).toBeLessThan(MORE_THAN_ALLOWED)
    const tight = await loadFor(3_000)
    await Promise.all(hogs.map((hog) => hog.end()))
    const free = await loadFor(2_000)
    expect(free.accepted.length).toBeGreaterThan(0)
    await allIsWell([...tight.accepted, ...free.accepted])
  })
})
