import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openCompanionServer } from '../../src/companion/chat-completions.ts'
import { type ProviderServer, startProviderServer } from '../setup/servers/provider-server.ts'

const PATH = '/v1/moderations'

describe('a server of the companion', () => {
  let provider: ProviderServer
  beforeEach(async () => {
    provider = await startProviderServer()
  })
  afterEach(() => provider.close())

  const open = () => openCompanionServer({ url: provider.url + PATH, apiKey: null })
  const limit = (ms: number) => ({ signal: AbortSignal.timeout(ms), deadline: performance.now() + ms })

  test('that says when to come back is taken at its word within the time of the request', async () => {
    let asked = 0
    const busy = { status: 429, headers: { 'retry-after': '3' } }
    provider.script(PATH, () => (asked++ === 0 ? busy : { body: { fine: true } }))
    const began = performance.now()
    expect(await (await open()).ask({}, limit(20_000))).toEqual({ fine: true })
    expect(performance.now() - began).toBeGreaterThanOrEqual(2990)
    asked = 0
    await expect((await open()).ask({}, limit(2500))).rejects.toMatchObject({ code: 'PROVIDER_BUSY' })
    expect(asked).toBe(1)
  })

  test('that is down is tried about once a second, however many requests wait for it', async () => {
    provider.script(PATH, { status: 500 })
    const server = await open()
    const ask = () => server.ask({}, limit(10_000)).catch((error: { code: string }) => error.code)
    expect(new Set(await Promise.all(Array.from({ length: 5 }, ask)))).toEqual(new Set(['PROVIDER_UNAVAILABLE']))
    const before = provider.received.length
    expect(new Set(await Promise.all(Array.from({ length: 40 }, ask)))).toEqual(new Set(['PROVIDER_UNAVAILABLE']))
    expect(provider.received.length - before).toBeLessThan(10)
  })

  test('that was away for a moment is found again by a request that waits', async () => {
    provider.script(PATH, { status: 500 })
    const server = await open()
    await Promise.all(Array.from({ length: 6 }, () => server.ask({}, limit(10_000)).catch(() => undefined)))
    provider.script(PATH, { body: { fine: true } })
    expect(await server.ask({}, limit(10_000))).toEqual({ fine: true })
  })
})
