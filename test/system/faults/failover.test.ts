import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { type PostgresPair, startPostgresPair } from '../../setup/servers/postgres-pair.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const SUBMITTERS = 4
/** Before the primary is killed, and again after the standby was promoted. */
const ACKNOWLEDGED = Number(process.env.FAILOVER_JOBS ?? 25)
/** Many take as long as they are. */
const TIMEOUT_MS = 60_000 + ACKNOWLEDGED * 60
/** After the primary was killed. */
const PROMOTION_DELAY_MS = Number(process.env.FAILOVER_DELAY_MS ?? 0)
/** 2 s on a machine that does nothing else. */
const LONGEST_GAP_MS = Number(process.env.FAILOVER_GAP_MS ?? 10_000)
const BODY = { inputs: { text: 'Hello.', voice: 'aria' } }

/** Submits without a pause, and remembers what was answered. */
function openLoad(url: string, key: string) {
  const [ids, statuses, retryAfters] = [[] as string[], new Set<number>(), new Set<string | undefined>()]
  let isOn = true
  const submit = async () => {
    while (isOn) {
      const reply = await call(`${url}/api/v1/voice/tts`, { method: 'POST', key, body: BODY })
      statuses.add(reply.status)
      if (reply.status === 202) ids.push(reply.json<{ job_id: string }>().job_id)
      if (reply.status === 503) retryAfters.add(reply.headers['retry-after'] as string | undefined)
    }
  }
  const submitters = Promise.all(Array.from({ length: SUBMITTERS }, submit))
  const stop = () => {
    isOn = false
    return submitters
  }
  return { ids, statuses, retryAfters, stop }
}

describe.each([
  ['a proxy that leads to the standby at once', (pair: PostgresPair) => pair.url],
  [
    'a DATABASE_URL that names both servers',
    (pair: PostgresPair) => pair.primaryUrl.replace(/\/postgres$/, `,${new URL(pair.standbyUrl).host}/postgres`),
  ],
])('a primary that is killed, behind %s', { timeout: TIMEOUT_MS * 3 }, (_title, urlOf) => {
  let pair: PostgresPair
  let service: TestRuntime
  beforeAll(async () => {
    pair = await startPostgresPair()
    service = await startTestRuntime({ worker: true, env: { DATABASE_URL: urlOf(pair), LOG_LEVEL: 'silent' } })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await service?.close()
    await pair?.close()
  })

  test('costs no job that was acknowledged, doubles none and fails none; until the standby is promoted it is 503', async () => {
    const { key } = await service.createCaller(10_000_000n)
    const load = openLoad(service.url, key)
    await until(() => load.ids.length >= ACKNOWLEDGED, TIMEOUT_MS, 'jobs before')
    await pair.kill()
    const killed = performance.now()
    const ready = async () => (await call(`${service.url}/health/ready`)).json<{ status: string; database?: string }>()
    await until(async () => (await ready()).database === 'read-only', TIMEOUT_MS, 'readiness to say so')
    await until(() => performance.now() - killed >= PROMOTION_DELAY_MS, TIMEOUT_MS, 'the promotion')
    await pair.promote()
    const promoted = performance.now()
    const before = load.ids.length
    await until(() => load.ids.length > before, TIMEOUT_MS, 'the first job after')
    expect(performance.now() - promoted).toBeLessThan(LONGEST_GAP_MS)
    await until(() => load.ids.length >= before + ACKNOWLEDGED, TIMEOUT_MS, 'jobs after')
    await load.stop()
    expect([...load.statuses].toSorted()).toEqual([202, 503])
    expect([...load.retryAfters]).toEqual(['1'])
    await until(async () => (await ready()).status === 'ok', TIMEOUT_MS, 'readiness')
    await allCompleted(load.ids)
  })

  async function allCompleted(ids: readonly string[]): Promise<void> {
    const client = new Client({ connectionString: pair.standbyUrl })
    client.on('error', () => undefined)
    await client.connect()
    const rowsOf = async (sql: string) => (await client.query<{ n: number }>(sql, [ids])).rows[0]?.n
    try {
      const unfinished = () =>
        rowsOf(
          `select count(*)::int as n from job where status not in ('completed', 'failed') and $1::text[] is not null`,
        )
      await until(async () => (await unfinished()) === 0, TIMEOUT_MS, 'all jobs to end')
      expect(await rowsOf(`select count(*)::int as n from job where id = any($1) and status = 'completed'`)).toBe(
        ids.length,
      )
      expect(await rowsOf(`select count(*)::int as n from artifact where job_id = any($1)`)).toBe(ids.length)
      expect(await rowsOf(`select count(*)::int as n from credit_entry where job_id = any($1)`)).toBe(ids.length)
      expect(
        await rowsOf(`select count(*)::int as n from job where status = 'failed' and $1::text[] is not null`),
      ).toBe(0)
    } finally {
      await client.end()
    }
  }
})
