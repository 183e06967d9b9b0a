import { describe, expect, test } from 'vitest'
import { KeyedLimiter } from '../../src/concurrency/keyed-limiter.ts'

describe('KeyedLimiter', () => {
  test('a full key is closed until half of it is empty, and others are not', () => {
    const limiter = new KeyedLimiter({ perAccount: 8, perReceiver: 4 })
    for (let count = 0; count < 4; count++) expect(limiter.tryAcquire('a1 r1')).toBe(true)
    expect(limiter.full()).toEqual(['a1 r1'])
    expect([limiter.tryAcquire('a1 r1'), limiter.tryAcquire('a1 r2')]).toEqual([false, true])
    expect(limiter.full()).toEqual(['a1 r1'])
    expect([limiter.release('a1 r1'), limiter.release('a1 r1')]).toEqual([false, true])
    expect(limiter.full()).toEqual([])
  })

  test('one account at a receiver leaves capacity for as much again, shared by those that come', () => {
    const limiter = new KeyedLimiter({ perAccount: 100, perReceiver: 16 })
    const entered = (key: string) => Array.from({ length: 20 }, () => limiter.tryAcquire(key)).filter(Boolean).length
    expect(['a1', 'a2', 'a3', 'a4'].map((account) => entered(`${account} r`))).toEqual([16, 8, 4, 2])
    expect(limiter.full()).toEqual(['a1 r', 'a2 r', 'a3 r', 'a4 r'])
    // The others get the releases of the first until all have the same.
    for (let count = 0; count < 10; count++) limiter.release('a1 r')
    expect([limiter.tryAcquire('a1 r'), entered('a4 r')]).toEqual([true, 5])
  })

  test('a key that is not responsive holds less, and gets its capacity when it is answered', () => {
    const responsive = new Set<string>()
    const probation = { perAccount: 100, perKey: 4, isResponsive: (key: string) => responsive.has(key) }
    const limiter = new KeyedLimiter({ perAccount: 100, perReceiver: 16 }, probation)
    const entered = () => Array.from({ length: 20 }, () => limiter.tryAcquire('a r')).filter(Boolean).length
    expect([entered(), limiter.full()]).toEqual([4, ['a r']])
    expect([limiter.release('a r'), limiter.release('a r')]).toEqual([false, true])
    expect([entered(), limiter.full()]).toEqual([2, ['a r']])
    responsive.add('a r')
    expect([limiter.release('a r'), limiter.full()]).toEqual([true, []])
    expect(entered()).toBe(13)
    responsive.delete('a r')
    expect([limiter.full(), limiter.release('a r')]).toEqual([['a r'], false])
  })

  test('an account holds little of all its keys that are not responsive, however many, and the one that comes last has capacity', () => {
    const responsive = new Set<string>()
    const probation = { perAccount: 16, perKey: 4, isResponsive: (key: string) => responsive.has(key) }
    const limiter = new KeyedLimiter({ perAccount: 100, perReceiver: 50 }, probation)
    const entered = (key: string) => Array.from({ length: 20 }, () => limiter.tryAcquire(key)).filter(Boolean).length
    expect(['a r1', 'a r2', 'a r3', 'a r4', 'a r5', 'a r6', 'b r1'].map(entered)).toEqual([4, 4, 4, 2, 1, 1, 4])
    expect([entered('a r7'), limiter.full()]).toEqual([0, expect.arrayContaining(['a r6', 'a r7'])])
    responsive.add('a r7')
    expect(entered('a r7')).toBe(20)
    for (let count = 0; count < 4; count++) limiter.release('a r1')
    expect([entered('a r2'), entered('a r8')]).toEqual([0, 2])
  })

  test('an account is limited over all of its receivers', () => {
    const limiter = new KeyedLimiter({ perAccount: 3, perReceiver: 2 })
    expect(['a r1', 'a r2', 'a r3', 'a r4', 'b r4'].map((key) => limiter.tryAcquire(key))).toEqual([
      true,
      true,
      true,
      false,
      true,
    ])
  })
})
