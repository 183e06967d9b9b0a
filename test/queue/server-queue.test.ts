import { describe, expect, test } from 'vitest'
import { ServerQueue } from '../../src/queue/server-queue.ts'
import { NotSoon } from '../../src/queue/stopping.ts'

const queueOf = (limit: number) => new ServerQueue({ limit: () => limit, onCapacity: () => undefined })
const join = (queue: ReturnType<typeof queueOf>) => queue.join(new AbortController().signal)

describe('the queue at a server', () => {
  test('grants tickets as jobs end, in the order in which they came', async () => {
    const queue = queueOf(1)
    const [first, second, third] = [join(queue), join(queue), join(queue)]
    await first.granted()
    expect([second.isWaiting, third.isWaiting, queue.inUse]).toEqual([true, true, 1])
    first.release()
    await second.granted()
    expect([third.isWaiting, queue.inUse]).toEqual([true, 1])
    second.release()
    await third.granted()
  })

  test('has capacity for as many jobs as its limit, and for none ahead of jobs of which nothing is known', async () => {
    const queue = queueOf(3)
    expect(queue.capacity).toBe(3)
    const tickets = [join(queue), join(queue), join(queue)]
    await Promise.all(tickets.map((ticket) => ticket.granted()))
    expect(queue.capacity).toBe(0)
    tickets[0]?.release()
    expect(queue.capacity).toBe(1)
  })

  test('has capacity ahead once jobs follow each other quickly, until one takes longer than they do', () => {
    let time = 0
    const queue = new ServerQueue({ limit: () => 1, onCapacity: () => undefined, now: () => time })
    const quick = join(queue)
    time += 200
    quick.release()
    join(queue)
    expect(queue.capacity).toBe(0)
    time += 150
    expect(queue.capacity).toBe(1)
    time += 200
    expect(queue.capacity).toBe(0)
  })

  test('has no capacity ahead of a job that none waited behind', () => {
    let time = 0
    const queue = new ServerQueue({ limit: () => 1, onCapacity: () => undefined, now: () => time })
    const quick = join(queue)
    time += 200
    quick.release()
    time += 1000
    join(queue)
    time += 150
    expect(queue.capacity).toBe(0)
  })

  test('gives a ticket up that is not granted within a second, and nothing follows it ahead', async () => {
    const queue = queueOf(1)
    join(queue)
    const late = join(queue)
    await expect(late.granted()).rejects.toBeInstanceOf(NotSoon)
    expect([late.isWaiting, queue.capacity]).toEqual([false, 0])
  })

  test('gives the ticket of a cancelled job up at once, and the next one moves up', async () => {
    const queue = queueOf(1)
    const [first, controller] = [join(queue), new AbortController()]
    const [cancelled, next] = [queue.join(controller.signal), join(queue)]
    controller.abort(new Error('cancelled'))
    await expect(cancelled.granted()).rejects.toThrow('cancelled')
    first.release()
    await next.granted()
  })

  test('takes no more jobs while two for each that may be there are still being finished', async () => {
    const queue = queueOf(2)
    const tickets = Array.from({ length: 4 }, () => join(queue))
    for (const ticket of tickets) {
      await ticket.granted()
      ticket.release()
    }
    expect([queue.inUse, queue.capacity]).toEqual([0, 0])
    expect(tickets[0]?.close()).toBe(true)
    expect(queue.capacity).toBe(1)
  })
})
