import { expect, test } from 'vitest'
import type { EngineError } from '../../src/engines/engine.ts'
import { checkAudio } from '../../src/synthesis/check-audio.ts'
import { writeWav } from '../../src/synthesis/wav.ts'

test('audible audio passes, with its duration', () => {
  expect(
    checkAudio(
      writeWav(
        Int16Array.from({ length: 22_050 }, (_, i) => (i % 2) * 3000),
        22_050,
      ),
    ),
  ).toEqual({ durationMs: 1000 })
})

test.each([
  ['empty', writeWav(new Int16Array(0), 22_050)],
  ['silent', writeWav(new Int16Array(5000), 22_050)],
  ['all but silent', writeWav(new Int16Array(5000).fill(20), 22_050)],
  ['no audio at all', new TextEncoder().encode('{"error": "busy"}')],
])('%s is RENDER_FAILED', (_, bytes) => {
  expect(() => checkAudio(bytes)).toThrow(
    expect.objectContaining({ code: 'RENDER_FAILED' }) satisfies Partial<EngineError>,
  )
})
