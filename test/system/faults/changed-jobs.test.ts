import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import { call, freePorts } from '../../setup/http.ts'
import { type Change, pullChanges } from '../../setup/jobs/changes.ts'
import { allFinished, applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const SECONDS = Number(process.env.FAULT_SECONDS ?? 18)
const STOPS = Number(process.env.FAULT_STOPS ?? 6)
const SUBMITTERS = 6
const SUBMIT_EVERY_MS = 100
const PULL_EVERY_MS = 200
const DEADLINE_MS = 90_000
const POOL = 'changes'

/** What the table holds of each job, by the names of the feed. */
const TABLE = `
  select id as job_id, status, attempt as attempts, error_code,
    to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as changed_at
  from job where account_id = $1`

describe('a puller beside submitters whose processes are killed', { timeout: 300_000 }, () => {
  let service: TestRuntime
  let speech: SpeechServer
  beforeAll(async () => {
    service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
    speech = await startSpeechServer()
    await applyEndpoint(service.runtime, POOL, { pool: POOL, base_url: speech.url, max_in_flight: 16 })
  }, DEADLINE_MS)
  afterAll(async () => {
    await endProcesses()
    await speech.close()
    await service.close()
  })

  test('builds the table, with every job in its last state and none in an older state after a newer one', async () => {
    const { account, key } = await service.createCaller(100_000_000n)
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir, LOG_LEVEL: 'silent' }
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const startApi = () => startRole(['serve'], { ...env, PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' })
    const startWorker = () => startRole(['work', '--pools', POOL], env)
    const roles = [startApi, startWorker].map((start) => ({ start, running: start() }))
    await Promise.all(roles.map(({ running }) => running))

    const accepted: string[] = []
    let isOver = false
    const submitter = async (name: number) => {
      for (let n = 0; !isOver; n++) {
        const body = { inputs: { text: `Text ${n} of ${name}.`, voice: 'calm' } }
        const reply = await call(`${url}/api/v1/voice/${POOL}`, { method: 'POST', key, body }).catch(() => undefined)
        if (reply?.status === 202) accepted.push(reply.json<{ job_id: string }>().job_id)
        await pause(SUBMIT_EVERY_MS)
      }
    }
    const warehouse = new Map<string, Change>()
    const faults: string[] = []
    let [cursor, pulls, cutOff] = ['', 0, 0]
    /** A pull that is cut off is repeated with the old cursor. */
    const pull = async (from: string) => {
      const answer = await pullChanges(from, key, cursor === '' ? '' : `?since=${cursor}`).catch(() => undefined)
      if (answer === undefined) return void cutOff++
      for (const row of answer.rows) {
        const known = warehouse.get(row.job_id)
        if (known !== undefined && known.changed_at >= row.changed_at) faults.push(`${row.job_id} at ${row.changed_at}`)
        if (row.changed_at >= answer.complete_before) faults.push(`${row.job_id} is not settled`)
        warehouse.set(row.job_id, row)
      }
      cursor = answer.cursor
      pulls++
    }
    const puller = async () => {
      while (!isOver) {
        await pull(url)
        await pause(PULL_EVERY_MS)
      }
    }
    const killer = async () => {
      for (let stop = 0; stop < STOPS; stop++) {
        const role = roles[stop % roles.length]!
        const process = await role.running
        await pause((SECONDS * 1000) / STOPS)
        await process.stop('SIGKILL')
        role.running = role.start()
      }
      await Promise.all(roles.map(({ running }) => running))
      isOver = true
    }
    await Promise.all([killer(), puller(), ...Array.from({ length: SUBMITTERS }, (_, name) => submitter(name))])

    await allFinished(service.runtime, accepted, DEADLINE_MS)
    await deleteJob(service.runtime.as({ kind: 'system' }), { jobId: accepted[0] as string })
    await pull(service.url)
    const table = (await service.runtime.db.pool.query<Change>(TABLE, [account])).rows
    const built = [...warehouse.values()].filter(({ deleted_at }) => deleted_at === null)
    const byId = (rows: readonly Change[]) => Object.fromEntries(rows.map((row) => [row.job_id, shown(row)]))
    expect(faults).toEqual([])
    expect(byId(built)).toEqual(byId(table))
    expect(warehouse.get(accepted[0] as string)).toMatchObject({ status: null, deleted_at: expect.any(String) })
    process.stderr.write(`${accepted.length} jobs in ${pulls} pulls; ${cutOff} more were cut off or not answered\n`)
    expect(accepted.length).toBeGreaterThan(SUBMITTERS)
    expect(pulls).toBeGreaterThan(STOPS)
  })
})

const shown = ({ status, attempts, error_code, changed_at }: Change) => ({ status, attempts, error_code, changed_at })

/** The rhythm of a client, no wait for a condition. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
