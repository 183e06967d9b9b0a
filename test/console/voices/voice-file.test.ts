import { expect, test } from 'vitest'
import { nameOf, wrongFile, wrongLength } from '../../../src/console/voices/voice-file.ts'

test('a file that the service would refuse is refused before it is sent', () => {
  const wrong = (name: string, size: number) => wrongFile({ name, size })
  expect([wrong('a.wav', 0), wrong('a.wav', 10 * 1024 * 1024 + 1), wrong('a.M4A', 9)]).toEqual([
    expect.stringContaining('empty'),
    expect.stringContaining('10 MiB: 30 seconds'),
    expect.stringContaining('MPEG-4'),
  ])
  expect(wrong('a.wav', 10 * 1024 * 1024)).toBeNull()
  expect([wrongLength(null), wrongLength(1), wrongLength(0.4), wrongLength(90)]).toEqual([
    null,
    null,
    expect.stringContaining('0.4 seconds'),
    expect.stringContaining('90.0 seconds'),
  ])
  expect(nameOf('anna_smith-2.wav')).toBe('anna smith 2')
})
