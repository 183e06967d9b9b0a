import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openDisk } from '../../../src/storage/disk.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { createTestDatabase } from '../../setup/postgres/database.ts'
import { canMount, insideOf, startMounted } from '../../setup/processes/mounts.ts'
import { makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses } from '../../setup/processes/processes.ts'
import { until } from '../../setup/wait.ts'

const JOBS = 40
const TIMEOUT_MS = 60_000
const LONG_TEXT = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(140).trim()
const ROOM = '45m'

afterAll(async () => {
  await endProcesses()
  await cleanUp()
})

test.skipIf(!canMount())(
  'no job fails for a full artifact disk: all wait, /health/ready says it, and they complete once there is room',
  { timeout: 2 * TIMEOUT_MS },
  async () => {
    const database = await createTestDatabase('opened')
    const dataDir = join(await makeTempDir(), 'data')
    const artifacts = join(dataDir, 'artifacts')
    mkdirSync(artifacts, { recursive: true })
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'info',
    }
    // Room for a few of the files.
    const service = await startMounted('mount -t tmpfs -o size=600k none "$1"', artifacts, env)
    // The mount is in the process's own namespace: this is the way to it from outside.
    const inside = join('/proc', String(service.pid), 'root', artifacts)
    const runtime = await openRuntime(readSettings(env), openLog('silent'), { supervise: false })
    const storage = openDisk({ dir: inside, publicUrl: () => url, signingKey: new Uint8Array(32) })
    const countOf = async (status: string) =>
      (await runtime.db.pool.query('select from job where status = $1', [status])).rowCount
    try {
      await makeAccount(env, 'full', 100_000)
      const { apiKey: key } = await makeKey(env, 'full')
      const ids = await Promise.all(
        Array.from({ length: JOBS }, (_, index) =>
          submitText(url, key, 'tts', `This sentence number ${index} takes some room on the disk.`, 'aria'),
        ),
      )
      const ready = () => call(`${url}/health/ready`)
      await until(async () => (await ready()).status === 503, TIMEOUT_MS, 'the process to say that it is not ready')
      expect((await ready()).json()).toMatchObject({ status: 'unready', storage: 'full', worker: 'ok', database: 'ok' })
      expect(await countOf('failed')).toBe(0)
      expect(await countOf('completed')).toBeLessThan(JOBS)

      insideOf(service, `mount -o remount,size=64m '${artifacts}'`)
      await allFinished(runtime, ids, TIMEOUT_MS)
      expect(await countOf('completed')).toBe(JOBS)
      await until(async () => (await ready()).status === 200, TIMEOUT_MS, 'the process to be ready')
      expect(readdirSync(join(inside, '.incoming'))).toEqual([])
      expect(await audit({ ...runtime, storage }, ids, { door: { url, key }, logs: [service.stderr()] })).toEqual([])
      const { rows } = await runtime.db.pool.query(
        'select kind, count(*)::int as entries, count(distinct job_id)::int as jobs from credit_entry where job_id is not null group by kind',
      )
      expect(rows).toEqual([{ kind: 'charge', entries: JOBS, jobs: JOBS }])
      const said = service.stderr() + service.stdout()
      expect(said.match(/artifacts cannot be stored/g)).toHaveLength(1)
      expect(said.match(/artifacts can be stored again/g)).toHaveLength(1)
      expect(service.runs()).toBe(true)
    } finally {
      await service.stop()
      await runtime.close()
      await database.drop()
    }
  },
)

test.skipIf(!canMount())(
  'a long text whose file finds no room waits for minutes, other texts are spoken meanwhile, and it completes once there is room',
  { timeout: 3 * TIMEOUT_MS },
  async () => {
    const database = await createTestDatabase('opened')
    const dataDir = join(await makeTempDir(), 'data')
    const artifacts = join(dataDir, 'artifacts')
    mkdirSync(artifacts, { recursive: true })
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: String(port), MAX_TEXT_CHARACTERS: '20000' }
    const runtime = await openRuntime(readSettings(env), openLog('silent'), { supervise: false })
    const text = { type: 'string', maxLength: 20_000 }
    const properties = { text, voice: { type: 'string' } }
    const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
    await applyEndpoint(runtime, 'books', {}, { inputs })
    // Room for its chunks, and for half of the file that is made of them.
    const service = await startMounted(`mount -t tmpfs -o size=${ROOM} none "$1"`, artifacts, env)
    const rowsOf = async (sql: string, id: string) => (await runtime.db.pool.query(sql, [id])).rows
    const endingsOf = (id: string) =>
      rowsOf('select ending, cause from job_attempt where job_id = $1 and ending is not null', id)
    try {
      await makeAccount(env, 'long', 100_000)
      const { apiKey: key } = await makeKey(env, 'long')
      const id = await submitText(url, key, 'books', LONG_TEXT)
      await until(async () => (await endingsOf(id)).length === 2, 2 * TIMEOUT_MS, 'two attempts to find no room')
      const full = { ending: 'record_failed', cause: expect.stringContaining('ENOSPC') }
      expect(await endingsOf(id)).toEqual([full, full])
      const [queued] = await rowsOf(
        `select state, extract(epoch from start_after - now())::float8 as seconds from pgboss.job where data->>'jobId' = $1`,
        id,
      )
      expect(queued).toMatchObject({ state: 'retry' })
      expect(queued.seconds).toBeGreaterThan(40)
      await allFinished(runtime, [await submitText(url, key, 'books', 'A short text.')], TIMEOUT_MS)
      expect(await rowsOf('select status from job where id = $1', id)).toEqual([{ status: 'processing' }])

      insideOf(service, `mount -o remount,size=256m '${artifacts}'`)
      await runtime.db.pool.query(`update pgboss.job set start_after = now() where data->>'jobId' = $1`, [id])
      await allFinished(runtime, [id], TIMEOUT_MS)
      expect(await rowsOf('select status, attempt from job where id = $1', id)).toEqual([
        { status: 'completed', attempt: 3 },
      ])
    } finally {
      await service.stop()
      await runtime.close()
      await database.drop()
    }
  },
)
