import { describe, expect, test } from 'vitest'
import { SingleFlight } from '../../src/concurrency/single-flight.ts'

describe('SingleFlight', () => {
  test('makes one thing for each key, however often it is asked for', async () => {
    const asked: string[] = []
    const flight = new SingleFlight(async (key) => {
      asked.push(key)
      return key.toUpperCase()
    })
    expect(await Promise.all([flight.get('a'), flight.get('a'), flight.get('b')])).toEqual(['A', 'A', 'B'])
    expect(await flight.get('a')).toBe('A')
    expect([asked, flight.keys, await Promise.all(flight.all)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['A', 'B'],
    ])
  })

  test('all callers get the failure, and the next call tries again', async () => {
    let attempts = 0
    const flight = new SingleFlight(async () => {
      if (++attempts === 1) throw new Error('no')
      return attempts
    })
    expect(await Promise.allSettled([flight.get('a'), flight.get('a')])).toMatchObject([
      { status: 'rejected' },
      { status: 'rejected' },
    ])
    expect([flight.keys, await flight.get('a')]).toEqual([[], 2])
  })
})
