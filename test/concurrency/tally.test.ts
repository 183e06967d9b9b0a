import { describe, expect, test } from 'vitest'
import { Tally } from '../../src/concurrency/tally.ts'

describe('a tally', () => {
  test('counts each of the owners of one, however often it is named, and all together once', () => {
    const tally = new Tally()
    tally.add('key', 'account')
    tally.add('account', 'account')
    expect([tally.of('key'), tally.of('account'), tally.of('other'), tally.total]).toEqual([1, 2, 0, 2])
  })

  test('takes one back once, however often that is asked for', () => {
    const tally = new Tally()
    tally.add('a')
    const takeBack = tally.addMany(5, 'a', 'b')
    takeBack()
    takeBack()
    expect([tally.of('a'), tally.of('b'), tally.total]).toEqual([1, 0, 1])
    tally.subtract('a')
    expect([tally.of('a'), tally.total]).toEqual([0, 0])
  })
})
