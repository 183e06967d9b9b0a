import { describe, expect, test } from 'vitest'
import { OffsetMap } from '../../../src/voice/timing/offset-map.ts'

const sliced = (map: OffsetMap, spoken: string): string => {
  const start = map.spoken.indexOf(spoken)
  const range = map.toSubmitted({ start, end: start + spoken.length })
  return map.submitted.slice(range.start, range.end)
}

describe('an offset map', () => {
  test('of a text that is spoken as it is leads every stretch to itself', () => {
    const map = OffsetMap.plain('Naïve 𝒜 text.')
    expect([map.spoken, sliced(map, '𝒜 text'), map.heard()]).toEqual([
      'Naïve 𝒜 text.',
      '𝒜 text',
      [{ start: 0, end: 14 }],
    ])
    expect(map.toSubmitted({ start: 14, end: 14 })).toEqual({ start: 14, end: 14 })
  })

  test('passes over markup, and leads any part of an alias to all that it stands for', () => {
    const submitted = 'See <sub alias="World Wide Web">WWW</sub> now.'
    const at = submitted.indexOf('WWW')
    const after = submitted.indexOf(' now')
    const map = new OffsetMap(submitted, [
      { spoken: 'See ', start: 0, end: 4 },
      { spoken: 'World Wide Web', start: at, end: at + 3 },
      { spoken: ' now.', start: after, end: submitted.length },
    ])
    expect(map.spoken).toBe('See World Wide Web now.')
    expect(['See', 'World', 'Wide Web', 'now', 'Web now'].map((spoken) => sliced(map, spoken))).toEqual([
      'See',
      'WWW',
      'WWW',
      'now',
      'WWW</sub> now',
    ])
    expect(map.heard().map(({ start, end }) => submitted.slice(start, end))).toEqual(['See ', 'WWW', ' now.'])
  })

  test('of nothing leads everything to the end', () => {
    expect(new OffsetMap('<break/>', []).toSubmitted({ start: 0, end: 3 })).toEqual({ start: 8, end: 8 })
  })
})
