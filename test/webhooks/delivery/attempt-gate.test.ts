import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AttemptGate } from '../../../src/webhooks/delivery/attempt-gate.ts'

const never = new AbortController().signal
const LIMITS = { perAccount: 4, perReceiver: 2 }

const _until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('AttemptGate', () => {
  test('an account’s delivery that comes last has its ticket, however many of the account’s other receivers hang', async () => {
    for (const hanging of [1, 4, 10, 40]) {
      const gate = new AttemptGate({ perAccount: 64, perReceiver: 16 })
      for (let n = 0; n < 150 * hanging; n++) void gate.pass(`a r${n % hanging}`, never, () => new Promise(() => {}))
      expect(await gate.pass('a good', never, async () => hanging)).toBe(hanging)
    }
  })

  test('never lets more in than an account, a receiver and both together may have, and lets all of them in once', async () => {
    const key = fc.tuple(fc.constantFrom('a1', 'a2', 'a3'), fc.constantFrom('r1', 'r2', 'r3'))
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 60 }), async (keys) => {
        const gate = new AttemptGate({ perAccount: 4, perReceiver: 3 })
        const inside = new Map<string, number>()
        const most = new Map<string, number>()
        const move = (word: string, change: number) => {
          const now = (inside.get(word) ?? 0) + change
          inside.set(word, now)
          most.set(word, Math.max(most.get(word) ?? 0, now))
        }
        let done = 0
        await Promise.all(
          keys.map((words) =>
            gate.pass(words.join(' '), never, async () => {
              for (const word of [...words, words.join(' ')]) move(word, 1)
              await new Promise((resolve) => setImmediate(resolve))
              for (const word of [...words, words.join(' ')]) move(word, -1)
              done++
            }),
          ),
        )
        expect(done).toBe(keys.length)
        const limitOf = (word: string) => (word.includes(' ') ? 3 : word.startsWith('a') ? 4 : 6)
        for (const [word, count] of most) expect(count).toBeLessThanOrEqual(limitOf(word))
      }),
      { numRuns: 50 },
    )
  })

  test('work that throws releases its ticket, and closing rejects those that wait', async () => {
    const gate = new AttemptGate({ perAccount: 1, perReceiver: 1 })
    await expect(gate.pass('a r', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    let release: (() => void) | undefined
    const first = gate.pass('a r', never, () => new Promise<void>((resolve) => (release = resolve)))
    const second = gate.pass('a r', never, async () => undefined)
    gate.close()
    await expect(second).rejects.toThrow('stopping')
    release!()
    await first
  })

  test('the account that comes last to a receiver finds capacity, and those that wait for it are served round robin', async () => {
    const gate = new AttemptGate({ perAccount: 16, perReceiver: 4 })
    const inside: string[] = []
    const answers = new Map<string, () => void>()
    const come = (account: string, nth: number) =>
      gate.pass(`${account} r`, never, async () => {
        inside.push(account)
        await new Promise<void>((resolve) => answers.set(`${account}${nth}`, resolve))
      })
    const all = ['a1', 'a2', 'a3'].flatMap((account) => Array.from({ length: 20 }, (_, nth) => come(account, nth)))
    await settled()
    const share = (account: string) => inside.filter((each) => each === account).length
    expect([share('a1'), share('a2'), share('a3')]).toEqual([4, 2, 1])
    // The first has had more than its share: the others get what it releases.
    for (let nth = 0; nth < 4; nth++) {
      answers.get(`a1${nth}`)!()
      answers.delete(`a1${nth}`)
      await settled()
    }
    expect(share('a2') + share('a3')).toBeGreaterThan(4)
    while (answers.size > 0) {
      for (const [name, answer] of answers) if (answers.delete(name)) answer()
      await settled()
    }
    await Promise.all(all)
    expect([share('a1'), share('a2'), share('a3')]).toEqual([20, 20, 20])
  })

  test('takes a receiver for responsive for a second after its last answer, and not when it took its time', async () => {
    let clock = 0
    const gate = new AttemptGate(LIMITS, () => clock)
    const attempt = (tookMs: number) =>
      gate.pass('a r', never, async () => {
        clock += tookMs
      })
    expect(gate.isResponsive('a r')).toBe(false)
    await attempt(999)
    expect(gate.isResponsive('a r')).toBe(true)
    clock += 999
    expect(gate.isResponsive('a r')).toBe(true)
    clock += 2
    expect(gate.isResponsive('a r')).toBe(false)
    await attempt(1000)
    expect(gate.isResponsive('a r')).toBe(false)
  })
})
