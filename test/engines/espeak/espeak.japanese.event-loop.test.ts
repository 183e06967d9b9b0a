import { expect, test } from 'vitest'
import { openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { openLog } from '../../../src/values/log.ts'
import { p99, watchEventLoop } from '../../setup/load/event-loop.ts'

const P99_MS = 50

test('the first kanji open their dictionary without holding up the event loop', async () => {
  const engine = openEspeak({ threads: 1, log: openLog('silent') })
  const voice = {
    slug: 'any',
    kind: 'preset',
    engineVoice: 'en-us+f1',
    referenceAudio: null,
    referenceText: null,
  } as const
  const held = watchEventLoop()
  await engine.speak({ text: '漢字', language: 'Japanese', voice, extra: {}, signal: new AbortController().signal })
  expect(p99(held.stop())).toBeLessThan(P99_MS)
  await engine.close()
})
