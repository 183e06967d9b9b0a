import { describe, expect, test } from 'vitest'
import { AwaitedFirst } from '../../src/concurrency/awaited-first.ts'

const takeAll = (waiting: AwaitedFirst<string>): string[] => {
  const taken: string[] = []
  for (let item = waiting.take(); item !== undefined; item = waiting.take()) taken.push(item)
  return taken
}

const kindsOf = (items: readonly string[]): string => items.map(([kind]) => kind).join('')

describe('AwaitedFirst', () => {
  test('gives what nobody waits for in order of arrival', () => {
    const waiting = new AwaitedFirst<string>()
    for (const item of ['first', 'second', 'third']) waiting.add(item)
    expect([waiting.size, takeAll(waiting), waiting.size]).toEqual([3, ['first', 'second', 'third'], 0])
  })

  test('gives what somebody waits for first, and accounts take turns', () => {
    const waiting = new AwaitedFirst<string>()
    waiting.add('batch')
    for (const item of ['A1', 'A2', 'A3']) waiting.add(item, 'a')
    waiting.add('B1', 'b')
    expect(takeAll(waiting)).toEqual(['A1', 'B1', 'A2', 'batch', 'A3'])
  })

  test('gives a quarter to the others while they wait, and the first turn to an account that comes after them', () => {
    const waiting = new AwaitedFirst<string>()
    for (let n = 0; n < 12; n++) waiting.add(`L${n}`, 'a')
    expect([waiting.take(), waiting.take(), waiting.take()]).toEqual(['L0', 'L1', 'L2'])
    for (let n = 0; n < 4; n++) waiting.add(`-${n}`)
    expect(kindsOf(takeAll(waiting))).toBe('LLL-LLL-LLL--')
    waiting.add('-')
    waiting.add('L', 'b')
    expect(kindsOf(takeAll(waiting))).toBe('L-')
  })

  test('gives the turn to an account that comes after one that has just had its own', () => {
    const waiting = new AwaitedFirst<string>()
    waiting.add('A1', 'a')
    expect(waiting.take()).toBe('A1')
    waiting.add('A2', 'a')
    waiting.add('B1', 'b')
    expect(takeAll(waiting)).toEqual(['B1', 'A2'])
  })

  test('forgets what left before its turn', () => {
    const waiting = new AwaitedFirst<string>()
    waiting.add('batch')
    for (const [item, account] of [
      ['A1', 'a'],
      ['B1', 'b'],
    ] as const)
      waiting.add(item, account)
    waiting.remove('A1')
    waiting.remove('batch')
    expect([waiting.size, takeAll(waiting)]).toEqual([1, ['B1']])
  })
})
