import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEASE_MS } from '../../../src/worker/workers.ts'
import { call } from '../../setup/http.ts'
import { type PostgresPair, startPostgresPair } from '../../setup/servers/postgres-pair.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const SUBMITTERS = 4
const JOBS = 25
/** Longer than a worker may be silent. */
const FROZEN_MS = LEASE_MS + 1_500
const BODY = { inputs: { text: 'Hello.', voice: 'aria' } }

let pair: PostgresPair
let service: TestRuntime
let watch: Client
beforeAll(async () => {
  pair = await startPostgresPair()
  service = await startTestRuntime({ worker: true, env: { DATABASE_URL: pair.primaryUrl, LOG_LEVEL: 'silent' } })
  watch = new Client({ connectionString: pair.primaryUrl })
  await watch.connect()
}, TIMEOUT_MS)
afterAll(async () => {
  await watch?.end()
  await service?.close()
  await pair?.close()
})

const rowsOf = async (sql: string, values: unknown[] = []) =>
  (await watch.query<{ n: number }>(`select count(*)::int as n from ${sql}`, values)).rows[0]?.n

test('a synchronous standby that stands still holds commits up: nothing is lost, doubled or failed, and no request is a 500', {
  timeout: TIMEOUT_MS * 2,
}, async () => {
  const { key } = await service.createCaller(1_000_000n)
  const [ids, statuses] = [[] as string[], new Set<number>()]
  let isOn = true
  const submit = async () => {
    while (isOn) {
      const reply = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body: BODY })
      statuses.add(reply.status)
      if (reply.status === 202) ids.push(reply.json<{ job_id: string }>().job_id)
    }
  }
  const submitters = Promise.all(Array.from({ length: SUBMITTERS }, submit))
  await until(() => ids.length >= JOBS, TIMEOUT_MS, 'jobs before')
  const thaw = await pair.freeze()
  const frozen = performance.now()
  try {
    const held = `pg_stat_activity where wait_event = 'SyncRep'`
    await until(async () => ((await rowsOf(held)) ?? 0) >= SUBMITTERS, TIMEOUT_MS, 'commits to be held up')
    await until(() => performance.now() - frozen >= FROZEN_MS, TIMEOUT_MS, 'the standby to move')
    // Reads need no commit.
    expect((await call(`${service.url}/api/v1/voice/jobs/${ids[0]}`, { key })).status).toBe(200)
  } finally {
    thaw()
  }
  const before = ids.length
  await until(() => ids.length >= before + JOBS, TIMEOUT_MS, 'jobs after')
  isOn = false
  await submitters
  expect([...statuses].filter((status) => status !== 202 && status !== 503)).toEqual([])
  const unfinished = () => rowsOf(`job where status not in ('completed', 'failed')`)
  await until(async () => (await unfinished()) === 0, TIMEOUT_MS, 'all jobs to end')
  expect(await rowsOf(`job where id = any($1) and status = 'completed'`, [ids])).toBe(ids.length)
  expect(await rowsOf(`artifact where job_id = any($1)`, [ids])).toBe(ids.length)
  expect(await rowsOf(`credit_entry where job_id = any($1)`, [ids])).toBe(ids.length)
  expect(await rowsOf(`job where status = 'failed'`)).toBe(0)
})
