import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import type { CounterName } from '../../src/telemetry/metrics.ts'
import { openLog } from '../../src/values/log.ts'
import { type Registration, registerWorker } from '../../src/worker/register-worker.ts'
import { ServerPermits } from '../../src/worker/server-permits.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { startDelayProxy } from '../setup/servers/delay-proxy.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const ROUND_TRIP_MS = 40
const SERVER = 'http://gpu.invalid'
const LIMIT = 32
const WORKERS = 30

interface Member {
  readonly permits: ServerPermits
  readonly registration: Registration
}

describe('a fleet far from its database', { timeout: 120_000 }, () => {
  let service: TestRuntime
  let far: Runtime
  const closers: (() => Promise<unknown>)[] = []
  const counted: CounterName[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
    const proxy = await startDelayProxy(service.runtime.settings.databaseUrl ?? '', ROUND_TRIP_MS)
    const settings = { ...service.runtime.settings, databaseUrl: proxy.url }
    far = await openRuntime(settings, openLog('silent'), { supervise: false })
    closers.push(proxy.close, () => far.close())
    await applyEndpoint(service.runtime, 'gpu', { pool: 'gpu', base_url: SERVER, max_in_flight: LIMIT })
    await far.catalog.reload()
  })
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close()
    await service.close()
  })

  const join = async (id: string, pool: string): Promise<Member> => {
    const telemetry = { ...far.telemetry, count: (name: CounterName) => void counted.push(name) }
    const runtime = { ...far, telemetry, workerId: id }
    const permits = new ServerPermits(runtime, () => [pool])
    const load = () => ({ pools: [pool], slots: 1, inFlight: 0, gpus: [], server: null, away: {}, engines: {} })
    const registration = await registerWorker(runtime, { load, onHeartbeat: (peers) => permits.follow(peers) })
    return { permits, registration }
  }
  const leave = async ({ registration, permits }: Member) => {
    await registration.end()
    permits.close()
  }
  const recorded = async () => {
    const { rows } = await service.runtime.db.pool.query<{ n: number }>(
      `select coalesce(sum((permits->>$1)::integer), 0)::integer as n from worker`,
      [SERVER],
    )
    return rows[0]!.n
  }

  test('shares a server to its last place and never more, while workers come, work and go', async () => {
    const members: Member[] = []
    let [running, most, mostRecorded] = [0, 0, 0]
    const end = new AbortController()
    const left = new Set<Member>()
    const work = async (member: Member, n: number) => {
      while (!end.signal.aborted && !left.has(member)) {
        const release = await member.permits.slotsAt(SERVER).acquire(end.signal)
        most = Math.max(most, ++running)
        await wait(20 + (n % 7) * 15)
        running--
        release()
      }
    }
    const working = new Map<Member, Promise<unknown>>()
    const watching = (async () => {
      while (!end.signal.aborted) mostRecorded = Math.max(mostRecorded, await recorded())
    })()
    for (let n = 0; n < WORKERS; n++) {
      const member = await join(`wrk_${String(n).padStart(2, '0')}`, 'gpu')
      members.push(member)
      const requests = Array.from({ length: 4 }, (_, one) => work(member, n + one).catch(() => undefined))
      working.set(member, Promise.all(requests))
    }
    const areShared = async () => {
      const usable = members.map(({ permits }) => permits.servers()[0]?.permits ?? 0)
      return usable.every((permits) => permits > 0) && (await recorded()) === LIMIT
    }
    await until(areShared, TIMEOUT_MS, 'a part for each')
    for (const member of members.splice(0, 10)) {
      left.add(member)
      await working.get(member)
      await leave(member)
    }
    await until(areShared, TIMEOUT_MS, 'the parts of those that left')
    end.abort()
    await Promise.all([...working.values(), watching])
    expect([most, mostRecorded]).toEqual([LIMIT, LIMIT])
    await Promise.all(members.map(leave))
  })

  test('has permits that end, and says so once, if PostgreSQL does not renew them', async () => {
    const late = await join('wrk_late', 'gpu')
    const usable = () => late.permits.servers()[0]?.permits ?? 0
    const expired = () => counted.filter((name) => name === 'engine_permits_expired_total').length
    late.permits.slotsAt(SERVER)
    await until(() => usable() === LIMIT, TIMEOUT_MS, 'all permits')
    const other = await service.runtime.db.pool.connect()
    try {
      await other.query('select pg_advisory_lock(hashtextextended($1, 0))', [`sonant permits ${SERVER}`])
      // A worker of another pool has nothing to do with that lock.
      const elsewhere = await join('wrk_elsewhere', 'elsewhere')
      await elsewhere.permits.renew()
      await leave(elsewhere)
      await until(() => usable() === 0 && expired() > 0, TIMEOUT_MS, 'the permits to end')
      await wait(3000)
    } finally {
      other.release(true)
    }
    await until(() => usable() === LIMIT, TIMEOUT_MS, 'all permits again')
    expect(expired()).toBe(1)
    await leave(late)
  })
})
