import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { laneLimits } from '../../src/queue/lane-limits.ts'
import { openAttemptGate } from '../../src/webhooks/attempt-gate.ts'

const never = new AbortController().signal

describe('openAttemptGate', () => {
  test('never lets more in than an account or a receiver may have, and lets all of them in once', async () => {
    const lane = fc.tuple(fc.constantFrom('a1', 'a2', 'a3'), fc.constantFrom('r1', 'r2', 'r3'))
    await fc.assert(
      fc.asyncProperty(fc.array(lane, { maxLength: 60 }), async (lanes) => {
        const gate = openAttemptGate({ perAccount: 4, perReceiver: 3 })
        const inside = new Map<string, number>()
        const most = new Map<string, number>()
        const move = (key: string, change: number) => {
          const now = (inside.get(key) ?? 0) + change
          inside.set(key, now)
          most.set(key, Math.max(most.get(key) ?? 0, now))
        }
        let done = 0
        await Promise.all(
          lanes.map((words) =>
            gate.pass(words.join(' '), never, async () => {
              for (const word of words) move(word, 1)
              await new Promise((resolve) => setImmediate(resolve))
              for (const word of words) move(word, -1)
              done++
            }),
          ),
        )
        expect(done).toBe(lanes.length)
        for (const [word, count] of most) expect(count).toBeLessThanOrEqual(word.startsWith('a') ? 4 : 3)
      }),
      { numRuns: 50 },
    )
  })

  test('work that throws gives its place back, and closing sends away who waits', async () => {
    const gate = openAttemptGate({ perAccount: 1, perReceiver: 1 })
    await expect(gate.pass('a r', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    let release: (() => void) | undefined
    const first = gate.pass('a r', never, () => new Promise<void>((resolve) => (release = resolve)))
    const second = gate.pass('a r', never, async () => undefined)
    gate.close()
    await expect(second).rejects.toThrow('stopping')
    release!()
    await first
  })
})

describe('laneLimits', () => {
  test('a full lane is closed until half of it is empty, and others are not', () => {
    const lanes = laneLimits({ perAccount: 8, perReceiver: 4 })
    for (let count = 0; count < 4; count++) expect(lanes.enter('a1 r1')).toBe(true)
    expect(lanes.full()).toEqual(['a1 r1'])
    expect([lanes.enter('a1 r1'), lanes.enter('a2 r1'), lanes.enter('a1 r2')]).toEqual([false, false, true])
    expect(lanes.full()).toEqual(['a1 r1', 'a2 r1'])
    expect([lanes.leave('a1 r1'), lanes.leave('a1 r1')]).toEqual([false, true])
    expect(lanes.full()).toEqual([])
    expect(lanes.enter('a2 r1')).toBe(true)
  })

  test('an account is limited over all of its receivers', () => {
    const lanes = laneLimits({ perAccount: 3, perReceiver: 2 })
    expect(['a r1', 'a r2', 'a r3', 'a r4', 'b r4'].map((lane) => lanes.enter(lane))).toEqual([
      true,
      true,
      true,
      false,
      true,
    ])
  })
})
