import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Peer, shareOut } from '../../src/worker/server-permits.ts'

const SERVER = { name: 'http://gpu', limit: 8, queues: new Set(['gpu']) }
const peer = (id: string, permits: number, changes: Partial<Peer> = {}): Peer => ({
  id,
  queues: ['gpu'],
  permits: { 'http://gpu': permits },
  shares: true,
  ...changes,
})
const me = (id: string, inUse = 0) => ({ id, queues: ['gpu'], inUse, busy: inUse > 0 })

describe('a server is shared out', () => {
  test('to one worker whole, to several in equal parts, and what is left over to the oldest', () => {
    expect(shareOut(SERVER, me('a'), [])).toEqual({ fair: 8, permits: 8 })
    expect(shareOut(SERVER, me('b'), [peer('a', 3), peer('c', 2)])).toEqual({ fair: 3, permits: 3 })
    expect(shareOut(SERVER, me('c'), [peer('a', 3), peer('b', 3)])).toEqual({ fair: 2, permits: 2 })
  })

  test('never beyond what the others still hold', () => {
    expect(shareOut(SERVER, me('b'), [peer('a', 8)])).toEqual({ fair: 4, permits: 0 })
    expect(shareOut(SERVER, me('b'), [peer('a', 6)])).toEqual({ fair: 4, permits: 2 })
  })

  test('so that requests which run are let run, and nothing follows them beyond the fair part', () => {
    expect(shareOut(SERVER, me('a', 8), [peer('b', 0)])).toEqual({ fair: 4, permits: 8 })
  })

  test('without the dead whose permits were taken away, and without a part for workers that take nothing new', () => {
    expect(shareOut(SERVER, me('b'), [peer('a', 0, { shares: false })])).toEqual({ fair: 8, permits: 8 })
    // Until its jobs go to others it may still be at work.
    expect(shareOut(SERVER, me('b'), [peer('a', 8, { shares: false })])).toEqual({ fair: 8, permits: 0 })
    expect(shareOut(SERVER, me('b'), [peer('a', 2, { queues: [] })])).toEqual({ fair: 8, permits: 6 })
    expect(shareOut(SERVER, { ...me('a', 2), queues: [] }, [peer('b', 6)])).toEqual({ fair: 2, permits: 2 })
  })

  test('to no more workers than there are places', () => {
    const server = { ...SERVER, limit: 2 }
    expect(shareOut(server, me('c'), [peer('a', 1), peer('b', 1)])).toEqual({ fair: 0, permits: 0 })
  })

  test('in turn where there are more pools than places, so that no pool waits for ever', () => {
    const server = { name: 'http://gpu', limit: 2, queues: new Set(['gpu', 'slow', 'late']) }
    const workers = [peer('a', 0), peer('b', 0, { queues: ['slow', 'gpu'] }), peer('c', 0, { queues: ['late'] })]
    const fairIn = (round: number) =>
      workers.map((one) => {
        const others = workers.filter((other) => other !== one)
        return shareOut(server, { ...one, inUse: 0, busy: false }, others, round).fair
      })
    expect([0, 1, 2, 3].map(fairIn)).toEqual([
      [1, 1, 0],
      [1, 0, 1],
      [0, 1, 1],
      [1, 1, 0],
    ])
    // No worker waits for the third to have a permit.
    const few = [peer('a', 0), peer('b', 0, { queues: ['slow'] })]
    expect([0, 1, 2].map((round) => shareOut(server, me('c'), few, round).fair)).toEqual([0, 0, 0])
  })

  test('in whatever order workers come, go and renew: the permits are never more than the limit', () => {
    const step = fc.record({
      worker: fc.integer({ min: 0, max: 4 }),
      lives: fc.boolean(),
      used: fc.integer({ min: 0, max: 20 }),
    })
    const holds = (limit: number, steps: { worker: number; lives: boolean; used: number }[]) => {
      const permits = [0, 0, 0, 0, 0]
      const lives = [false, false, false, false, false]
      for (const { worker, lives: living, used } of steps) {
        lives[worker] = living
        if (!living) {
          permits[worker] = 0
          continue
        }
        const others = permits.flatMap((held, id) => (id !== worker && lives[id] ? [peer(String(id), held)] : []))
        const inUse = Math.min(used, permits[worker]!)
        permits[worker] = shareOut({ ...SERVER, limit }, me(String(worker), inUse), others).permits
        expect(permits.reduce((sum, held) => sum + held, 0)).toBeLessThanOrEqual(limit)
      }
    }
    fc.assert(fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 60 }), holds))
  })
})
