import { Client } from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { haproxyProgram, startHaproxy } from '../../setup/servers/haproxy.ts'
import { type PostgresPair, startPostgresPair } from '../../setup/servers/postgres-pair.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const SUBMITTERS = 4
/** Before the primary is killed, and again after the standby was promoted. `docs/contributing.md` names the variables. */
const ACKNOWLEDGED = Number(process.env.FAILOVER_JOBS ?? 25)
/** Many take as long as they are. */
const TIMEOUT_MS = 60_000 + ACKNOWLEDGED * 60
/** After the primary was killed. */
const PROMOTION_DELAY_MS = Number(process.env.FAILOVER_DELAY_MS ?? 0)
/** 2 s on a machine that does nothing else. */
const LONGEST_GAP_MS = Number(process.env.FAILOVER_GAP_MS ?? 10_000)
const UNFINISHED = `status not in ('completed', 'failed')`
/** A job that was rendered or charged twice has two artifacts or two entries; one whose audio or charge is missing is as good as lost. */
const COST = `
  select count(*) filter (where status is distinct from 'completed' or artifacts = 0 or entries = 0)::int as lost,
    count(*) filter (where artifacts > 1 or entries > 1)::int as doubled,
    (select count(*)::int from job where status = 'failed') as failed,
    (select count(*)::int from job where error_code = 'INTERNAL_ERROR') as "internalErrors"
  from (select job.status, (select count(*) from artifact a where a.job_id = asked.id) as artifacts,
      (select count(*) from credit_entry e where e.job_id = asked.id) as entries
    from unnest($1::text[]) as asked (id) left join job using (id)) as one`
const BODY = { inputs: { text: 'Hello.', voice: 'aria' } }

/** Submits without a pause, and remembers what was answered. */
function openLoad(url: string, key: string) {
  const [ids, statuses, retryAfters] = [[] as string[], new Map<number, number>(), new Set<string | undefined>()]
  let isOn = true
  const submit = async () => {
    while (isOn) {
      const reply = await call(`${url}/api/v1/voice/tts`, { method: 'POST', key, body: BODY })
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
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

type Way = [title: string, urlOf: (pair: PostgresPair) => string | Promise<string>]

let haproxy: { readonly url: string; close(): Promise<void> } | undefined
afterAll(() => haproxy?.close())

/** HAProxy's is left out where it is not installed. */
const HAPROXY = 'HAProxy'
const THROUGH_HAPROXY: Way = [
  HAPROXY,
  async (pair) => {
    haproxy = await startHaproxy(pair.primaryUrl, pair.standbyUrl)
    return haproxy.url
  },
]
const WAYS: Way[] = [
  ['a proxy that leads to the standby at once', (pair) => pair.url],
  [
    'a DATABASE_URL that names both servers',
    (pair) => pair.primaryUrl.replace(/\/postgres$/, `,${new URL(pair.standbyUrl).host}/postgres`),
  ],
  ...(haproxyProgram === undefined ? [] : [THROUGH_HAPROXY]),
]

describe.each(WAYS)('a primary that is killed, behind %s', { timeout: TIMEOUT_MS * 3 }, (title, urlOf) => {
  let pair: PostgresPair
  let service: TestRuntime
  let load: ReturnType<typeof openLoad>
  beforeEach(async () => {
    pair = await startPostgresPair()
    service = await startTestRuntime({ worker: true, env: { DATABASE_URL: await urlOf(pair), LOG_LEVEL: 'silent' } })
  }, TIMEOUT_MS)
  afterEach(async () => {
    await load?.stop()
    await service?.close()
    await pair?.close()
  })

  test('costs no job that was acknowledged, doubles none and fails none; until the standby is promoted it is 503', async () => {
    const { key } = await service.createCaller(10_000_000n)
    load = openLoad(service.url, key)
    await until(() => load.ids.length >= ACKNOWLEDGED, TIMEOUT_MS, 'jobs before')
    await pair.kill()
    const killed = performance.now()
    const ready = async () => (await call(`${service.url}/health/ready`)).json<{ status: string; database?: string }>()
    await until(async () => (await ready()).database === 'read-only', TIMEOUT_MS, 'readiness to say so')
    // HAProxy tries its servers again by itself, so there may be nothing but a wait.
    if (title !== HAPROXY) await until(() => load.statuses.has(503), TIMEOUT_MS, 'a submission to be refused')
    await until(() => performance.now() - killed >= PROMOTION_DELAY_MS, TIMEOUT_MS, 'the promotion')
    await pair.promote()
    const promoted = performance.now()
    const before = load.ids.length
    await until(() => load.ids.length > before, TIMEOUT_MS, 'the first job after')
    const gapMs = performance.now() - promoted
    await until(() => load.ids.length >= before + ACKNOWLEDGED, TIMEOUT_MS, 'jobs after')
    await load.stop()
    await until(async () => (await ready()).status === 'ok', TIMEOUT_MS, 'readiness')
    const cost = await costOf(load.ids)
    const answers = [...load.statuses].toSorted().map(([status, count]) => `${count} × ${status}`)
    process.stderr.write(
      `${load.ids.length} acknowledged, ${title}: ${JSON.stringify(cost)}, ${answers.join(', ')}, ${Math.round(gapMs)} ms without one after the promotion\n`,
    )
    expect(cost).toEqual({ lost: 0, doubled: 0, failed: 0, internalErrors: 0 })
    expect([...load.statuses.keys()].filter((status) => status !== 202 && status !== 503)).toEqual([])
    expect([...load.retryAfters].filter((seconds) => seconds !== '1')).toEqual([])
    expect(gapMs).toBeLessThan(LONGEST_GAP_MS)
  })

  /** The fate of all jobs once they have ended: failed jobs of the table count, acknowledged or not. */
  async function costOf(ids: readonly string[]) {
    const client = new Client({ connectionString: pair.standbyUrl })
    client.on('error', () => undefined)
    await client.connect()
    try {
      const unfinished = async () => (await client.query(`select from job where ${UNFINISHED} limit 1`)).rowCount
      await until(async () => (await unfinished()) === 0, TIMEOUT_MS, 'all jobs to end')
      return (await client.query<Record<string, number>>(COST, [ids])).rows[0]
    } finally {
      await client.end()
    }
  }
})
