import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Semaphore } from '../../src/concurrency/semaphore.ts'
import { type CogServer as CogPlace, openCogServers, type PredictionRequest, predict } from '../../src/engines/cog.ts'
import { type CogServer, startCogServer } from '../setup/servers/cog-server.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const FAR_MS = 60_000

describe('a prediction', () => {
  let cog: CogServer
  let place: CogPlace
  const servers: CogServer[] = []
  beforeEach(async () => {
    cog = await startCogServer()
    servers.push(cog)
    place = openCogServers(() => new Semaphore(() => 100)).at(cog.url)
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close().catch(() => undefined)
  })

  const request = (changes: Partial<PredictionRequest> = {}): PredictionRequest => ({
    id: 'p-1',
    input: { prompt: 'A lighthouse' },
    retryBudgetMs: { busy: 10_000, away: 10_000 },
    deadline: performance.now() + FAR_MS,
    signal: new AbortController().signal,
    leftovers: [],
    reenter: async () => undefined,
    release: () => undefined,
    ...changes,
  })
  const restart = async (): Promise<void> => {
    await cog.close()
    cog = await startCogServer(cog.port)
    servers.push(cog)
  }

  test.each([429, 503])('waits as long as a %i asks for, by the second or by the date', async (status) => {
    const at = () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 1000)
    const told = [() => '1', () => at().toUTCString()]
    for (const retryAfter of told) {
      const from = cog.calls.length
      let asked = 0
      cog.answer(() => (asked++ === 0 ? { status, headers: { 'retry-after': retryAfter() } } : {}))
      await predict(place, request({ retryBudgetMs: { busy: 0, away: 0 } }))
      const [refused, taken] = cog.calls.slice(from)
      expect(taken!.at - refused!.at).toBeGreaterThanOrEqual(990)
      expect(cog.calls).toHaveLength(from + 2)
    }
  })

  test('is not waited for where the server asks for longer than its deadline', async () => {
    cog.answer(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    await expect(predict(place, request())).rejects.toMatchObject({ code: 'PROVIDER_BUSY' })
    expect(cog.calls).toHaveLength(1)
  })

  test.each([true, false])('is made anew by a server that was restarted (polled: %s)', async (polled) => {
    cog.answer(() => ({ polled, until: new Promise(() => undefined) }))
    const outcome = predict(place, request())
    await until(() => cog.running() === 1, TIMEOUT_MS, 'the prediction')
    await restart()
    cog.answer(() => ({ polled, ms: 10 }))
    expect(await outcome).toMatchObject({ id: 'p-1' })
    expect(cog.calls).toHaveLength(1)
  })

  test('is not made anew before its process has a place again: another one may have cancelled it', async () => {
    cog.answer(() => ({ polled: true, until: new Promise(() => undefined) }))
    const slept = new AbortController()
    const signal = slept.signal
    const waits = Promise.withResolvers<void>()
    const reenter = () => {
      waits.resolve()
      return new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const outcome = predict(place, request({ signal, reenter }))
    await until(() => cog.running() === 1, TIMEOUT_MS, 'the prediction')
    await fetch(`${cog.url}/predictions/p-1/cancel`, { method: 'POST' })
    await waits.promise
    slept.abort(new Error('another worker holds the job'))
    await expect(outcome).rejects.toThrow('another worker')
    expect(cog.calls).toHaveLength(1)
  })

  test('fails as PROVIDER_UNAVAILABLE when the server loses it again and again', async () => {
    cog.answer(({ id }) => ({ status: 202, body: { id, status: 'starting' } }))
    const outcome = predict(place, request())
    await expect(outcome).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', message: /lost the prediction/ })
    expect(cog.calls).toHaveLength(3)
  })

  test('whose answer broke off is stopped before it is made again', async () => {
    let asked = 0
    const never = new Promise(() => undefined)
    cog.answer(() => (asked++ === 0 ? { drops: true, until: never } : {}))
    await predict(place, request())
    expect([cog.calls.length, cog.cancelled, cog.mostRunning()]).toEqual([2, ['p-1'], 1])
  })

  test('stops what an earlier attempt may have left at the server before it begins', async () => {
    cog.answer(({ id }) => (id === 'p-1' ? { polled: true, until: new Promise(() => undefined) } : {}))
    const dead = new AbortController()
    const earlier = predict(place, request({ signal: dead.signal }))
    await until(() => cog.running() === 1, TIMEOUT_MS, 'the earlier one')
    await predict(place, request({ id: 'p-2', leftovers: ['p-1', 'p-0'] }))
    expect([cog.mostRunning(), cog.cancelled.includes('p-1')]).toEqual([1, true])
    dead.abort(new Error('over'))
    await expect(earlier).rejects.toThrow('over')
  })

  test('asks a server that is gone a few times only, however many wait, and does not cancel what never began', async () => {
    await cog.close()
    const { port } = cog
    let left = 0
    const waiting = Array.from({ length: 40 }, (_, n) =>
      predict(place, request({ id: `p-${n}`, retryBudgetMs: { busy: 0, away: 3000 }, release: () => left++ })),
    )
    const outcomes = Promise.allSettled(waiting)
    await new Promise((resolve) => setImmediate(resolve))
    cog = await startCogServer(port)
    servers.push(cog)
    cog.answer(() => ({ status: 500 }))
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'PROVIDER_UNAVAILABLE' } })
    }
    // Each of the 40 would have asked five times or more.
    process.stderr.write(`asked ${cog.calls.length} times in 3 s by 40 predictions\n`)
    expect(cog.calls.length).toBeLessThan(20)
    expect([left, cog.cancelled]).toEqual([40, []])
  })

  test('of a server that is back is not held up by the one that tries it', async () => {
    cog.answer(() => ({ status: 500 }))
    await Promise.allSettled(
      Array.from({ length: 6 }, () => predict(place, request({ retryBudgetMs: { busy: 0, away: 0 } }))),
    )
    // A long one finds out that the server lives: the others need not wait for its end.
    const end = Promise.withResolvers<void>()
    cog.answer(() => ({ until: end.promise }))
    const all = Promise.all(Array.from({ length: 3 }, (_, n) => predict(place, request({ id: `q-${n}` }))))
    await until(() => cog.running() === 3, TIMEOUT_MS, 'all to be at the server')
    end.resolve()
    expect(await all).toHaveLength(3)
  })
})
