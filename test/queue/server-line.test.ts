import { describe, expect, test } from 'vitest'
import { openServerLine } from '../../src/queue/server-line.ts'
import { NotSoon } from '../../src/queue/stopping.ts'

const lineOf = (places: number) => openServerLine({ most: () => places, onRoom: () => undefined })
const join = (line: ReturnType<typeof lineOf>) => line.queueUp(new AbortController().signal)

describe('the line at a server', () => {
  test('lets jobs in as places get free, in the order in which they came', async () => {
    const line = lineOf(1)
    const [first, second, third] = [join(line), join(line), join(line)]
    await first.comes()
    expect([second.isWaiting, third.isWaiting, line.inside]).toEqual([true, true, 1])
    first.end()
    await second.comes()
    expect([third.isWaiting, line.inside]).toEqual([true, 1])
    second.end()
    await third.comes()
  })

  test('has room for as many jobs as there are places, and for none ahead of jobs of which nothing is known', async () => {
    const line = lineOf(3)
    expect(line.room).toBe(3)
    const turns = [join(line), join(line), join(line)]
    await Promise.all(turns.map((turn) => turn.comes()))
    expect(line.room).toBe(0)
    turns[0]?.end()
    expect(line.room).toBe(1)
  })

  test('has room ahead once jobs follow each other quickly, until one takes longer than they do', () => {
    let time = 0
    const line = openServerLine({ most: () => 1, onRoom: () => undefined, now: () => time })
    const quick = join(line)
    time += 200
    quick.end()
    join(line)
    expect(line.room).toBe(0)
    time += 150
    expect(line.room).toBe(1)
    time += 200
    expect(line.room).toBe(0)
  })

  test('has no room ahead of a job that nobody waited behind', () => {
    let time = 0
    const line = openServerLine({ most: () => 1, onRoom: () => undefined, now: () => time })
    const quick = join(line)
    time += 200
    quick.end()
    time += 1000
    join(line)
    time += 150
    expect(line.room).toBe(0)
  })

  test('sends a job away whose turn does not come within a second, and nothing follows it ahead', async () => {
    const line = lineOf(1)
    join(line)
    const late = join(line)
    await expect(late.comes()).rejects.toBeInstanceOf(NotSoon)
    expect([late.isWaiting, line.room]).toEqual([false, 0])
  })

  test('sends a job away at once that is cancelled, and the next one moves up', async () => {
    const line = lineOf(1)
    const [first, controller] = [join(line), new AbortController()]
    const [cancelled, next] = [line.queueUp(controller.signal), join(line)]
    controller.abort(new Error('cancelled'))
    await expect(cancelled.comes()).rejects.toThrow('cancelled')
    first.end()
    await next.comes()
  })

  test('takes no more jobs while two for every place are still being finished', async () => {
    const line = lineOf(2)
    const turns = Array.from({ length: 4 }, () => join(line))
    for (const turn of turns) {
      await turn.comes()
      turn.end()
    }
    expect([line.inside, line.room]).toEqual([0, 0])
    expect(turns[0]?.leave()).toBe(true)
    expect(line.room).toBe(1)
  })
})
