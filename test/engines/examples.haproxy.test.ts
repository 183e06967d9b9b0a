import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Engines, openEngines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/values/log.ts'
import { freePorts } from '../setup/http.ts'
import { haproxyProgram, startSpeechProxy } from '../setup/servers/haproxy.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'

const VOICE = { slug: 'a', kind: 'preset', engineVoice: 'Vivian', referenceAudio: null, referenceText: null } as const

describe.skipIf(haproxyProgram === undefined)('the example of HAProxy before speech servers', () => {
  let servers: readonly [SpeechServer, SpeechServer]
  let engines: Engines
  let base_url = ''
  let close: (() => Promise<void>) | undefined
  beforeAll(async () => {
    servers = [await startSpeechServer(), await startSpeechServer()]
    for (const server of servers) server.offer({ voices: [] })
    const [port = 0] = await freePorts(1)
    base_url = `http://127.0.0.1:${port}`
    close = await startSpeechProxy(port, [servers[0].url, servers[1].url])
    engines = openEngines({ threads: 1, log: openLog('silent'), lookUp: () => undefined })
  })
  afterAll(async () => {
    await engines.close()
    await close?.()
    await Promise.all(servers.map((server) => server.close()))
  })

  test('is valid as it stands', () => {
    const path = fileURLToPath(new URL('../../examples/haproxy/speech.cfg', import.meta.url))
    expect(execFileSync(haproxyProgram ?? '', ['-c', '-f', path], { encoding: 'utf8' })).toContain('file is valid')
  })

  test('speaks every text while one of them answers 503, and none is asked beyond its maxconn', async () => {
    const [good, broken] = servers
    good.answer(() => ({ delayMs: 20 }))
    broken.answer(() => ({ status: 503 }))
    const block = { kind: 'openai-speech', model: 'tts', retry_seconds: 0, base_url, max_in_flight: 40 }
    const { signal } = new AbortController()
    const texts = Array.from({ length: 60 }, (_, n) => `Text ${n}.`)
    const spoken = await Promise.allSettled(
      texts.map((text) => engines.use(block, (engine) => engine.speak({ text, voice: VOICE, signal, extra: {} }))),
    )
    expect(spoken.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(new Set(good.calls.map(({ body }) => body.input))).toEqual(new Set(texts))
    expect(broken.calls.length).toBeGreaterThan(0)
    expect([good.mostInFlight() <= 32, broken.mostInFlight() <= 8]).toEqual([true, true])
  })
})
