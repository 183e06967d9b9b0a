import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SpeechRequest } from '../../src/engines/engine.ts'
import { type Engines, openEngines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/values/log.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'

const VOICE = { slug: 'a', kind: 'preset', engineVoice: 'Vivian', referenceAudio: null, referenceText: null } as const
const [FAST_MS, SLOW_MS] = [20, 400]
const AT_ONCE = 3

describe('an engine with three servers', () => {
  let servers: SpeechServer[]
  let [fast, slow, broken] = [] as unknown as [SpeechServer, SpeechServer, SpeechServer]
  let engines: Engines
  beforeEach(async () => {
    servers = await Promise.all([startSpeechServer(), startSpeechServer(), startSpeechServer()])
    ;[fast, slow, broken] = servers as [SpeechServer, SpeechServer, SpeechServer]
    fast.answer(() => ({ delayMs: FAST_MS }))
    slow.answer(() => ({ delayMs: SLOW_MS }))
    broken.answer(() => ({ status: 503 }))
    engines = openEngines({ threads: 1, log: openLog('silent'), lookUp: (name) => `key of ${name}` })
  })
  afterEach(async () => {
    await engines.close()
    await Promise.all(servers.map((server) => server.close()))
  })

  const block = () => ({
    kind: 'openai-speech',
    model: 'tts',
    retry_seconds: 0,
    servers: servers.map(({ url }, n) => ({ base_url: url, max_in_flight: AT_ONCE, api_key_env: `KEY_${n}` })),
  })
  const request = (text: string): SpeechRequest => {
    const { signal } = new AbortController()
    return { text, voice: VOICE, signal, extra: {} }
  }
  const speak = (text = 'Hello.') => engines.use(block(), (engine) => engine.speak(request(text)))

  test('of which one is broken speaks every text, most of them at the fast one', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => `Text ${n}.`)
    const spoken = await Promise.allSettled(texts.map(speak))
    expect(spoken.filter(({ status }) => status === 'rejected')).toEqual([])
    const said = (server: SpeechServer) => server.calls.map(({ body }) => String(body.input))
    expect(new Set([...said(fast), ...said(slow)])).toEqual(new Set(texts))
    expect(fast.calls.length).toBeGreaterThan(2 * slow.calls.length)
    expect(slow.calls.length).toBeGreaterThan(0)
    // Its circuit is open after five failures, and its other requests began before that.
    expect(broken.calls.length).toBeLessThan(5 + AT_ONCE)
    for (const server of servers) expect(server.mostInFlight()).toBeLessThanOrEqual(AT_ONCE)
  })

  test('asks each with its own key', async () => {
    broken.answer(() => ({ delayMs: FAST_MS }))
    await Promise.all(Array.from({ length: 9 }, () => speak()))
    for (const [n, { calls }] of servers.entries())
      expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer key of KEY_${n}`]))
  })

  test('takes the one that has come back into use again', async () => {
    fast.answer(() => ({ status: 500 }))
    slow.answer(() => ({ status: 500 }))
    const failed = await Promise.allSettled(Array.from({ length: 12 }, () => speak()))
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true)
    const before = broken.calls.length
    broken.answer(() => ({}))
    await engines.use({ ...block(), retry_seconds: 20 }, (engine) => engine.speak(request('Again.')))
    expect(broken.calls.length).toBe(before + 1)
  })

  test('waits for one that is away, though the others need the operator', async () => {
    for (const server of [fast, slow]) server.answer(() => ({ status: 401 }))
    // The last request finds the circuit open.
    for (let n = 0; n < 6; n++) await expect(speak()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    const before = broken.calls.length
    broken.answer(() => ({}))
    await engines.use({ ...block(), retry_seconds: 20 }, (engine) => engine.speak(request('Again.')))
    expect(broken.calls.length).toBe(before + 1)
    broken.answer(() => ({ status: 401 }))
    await expect(speak()).rejects.toMatchObject({ code: 'INTERNAL_ERROR' })
  })

  test('asks none again about a text that one rejects', async () => {
    for (const server of servers) server.answer(() => ({ status: 400, json: { message: 'no such voice' } }))
    await expect(speak()).rejects.toMatchObject({ code: 'RENDER_FAILED' })
    expect(servers.flatMap(({ calls }) => calls)).toHaveLength(1)
  })

  test('has the voices that all of them have', async () => {
    const offered = () => engines.use(block(), (engine) => engine.voices(new AbortController().signal))
    fast.offer({ voices: ['a', 'b', 'c'] })
    slow.offer({ voices: ['b', 'c', 'd'] })
    broken.offer({ voices: ['c', 'b'] })
    expect(await offered()).toEqual(['b', 'c'])
    broken.offer(null)
    expect(await offered()).toBeNull()
  })
})
