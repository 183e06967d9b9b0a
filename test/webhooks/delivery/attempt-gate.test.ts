import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AttemptGate } from '../../../src/webhooks/delivery/attempt-gate.ts'
import type { Steps } from '../../../src/webhooks/delivery/preparation.ts'

const never = new AbortController().signal
const LIMITS = { perAccount: 4, perReceiver: 2 }

/** Steps that prepare nothing. */
const only = <Result>(work: () => Promise<Result>): Steps<null, Result> => ({
  prepare: async () => null,
  work,
  undo: async () => undefined,
})

/** A receiver whose answers the test gives, `count` deliveries that go to it, and what became of each. */
function crowd(gate: AttemptGate, count: number) {
  const prepared: number[] = []
  const undone: number[] = []
  const answers: (() => void)[] = []
  const ends = Array.from({ length: count }, (_, index) =>
    gate
      .pass('a r', never, {
        prepare: async () => prepared.push(index) && index,
        work: (mine) => new Promise<number>((resolve) => answers.push(() => resolve(mine))),
        undo: async (mine) => void undone.push(mine),
      })
      .then(
        (mine) => `sent ${mine}`,
        (error: Error) => error.message,
      ),
  )
  return { prepared, undone, answers, ends: Promise.all(ends) }
}

const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('AttemptGate', () => {
  test('an account’s delivery that comes last has its ticket, however many of the account’s other receivers hang', async () => {
    for (const hanging of [1, 4, 10, 40]) {
      const gate = new AttemptGate({ perAccount: 64, perReceiver: 16 })
      for (let n = 0; n < 150 * hanging; n++)
        void gate.pass(
          `a r${n % hanging}`,
          never,
          only(() => new Promise(() => {})),
        )
      expect(
        await gate.pass(
          'a good',
          never,
          only(async () => hanging),
        ),
      ).toBe(hanging)
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
            gate.pass(
              words.join(' '),
              never,
              only(async () => {
                for (const word of [...words, words.join(' ')]) move(word, 1)
                await new Promise((resolve) => setImmediate(resolve))
                for (const word of [...words, words.join(' ')]) move(word, -1)
                done++
              }),
            ),
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
    await expect(
      gate.pass(
        'a r',
        never,
        only(() => Promise.reject(new Error('no'))),
      ),
    ).rejects.toThrow('no')
    let release: (() => void) | undefined
    const first = gate.pass(
      'a r',
      never,
      only(() => new Promise<void>((resolve) => (release = resolve))),
    )
    const second = gate.pass(
      'a r',
      never,
      only(async () => undefined),
    )
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
      gate.pass(
        `${account} r`,
        never,
        only(async () => {
          inside.push(account)
          await new Promise<void>((resolve) => answers.set(`${account}${nth}`, resolve))
        }),
      )
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

  test.each([
    [19, 128],
    [99, 64],
  ])(
    'prepares for a receiver that answers in %i ms before its ticket is granted, %i places ahead at most',
    async (tookMs, ahead) => {
      let clock = 0
      const { prepared, answers } = crowd(new AttemptGate(LIMITS, () => clock), 200)
      await until(() => answers.length === 2)
      expect(prepared).toEqual([0, 1])
      clock += tookMs
      answers[0]!()
      await until(() => answers.length === 3)
      await settled()
      expect(inOrder(prepared)).toEqual(Array.from({ length: 3 + ahead }, (_, index) => index))
    },
  )

  test('prepares nothing early for a receiver that takes its time', async () => {
    let clock = 0
    const { prepared, answers } = crowd(new AttemptGate(LIMITS, () => clock), 200)
    await until(() => answers.length === 2)
    clock += 100
    answers[0]!()
    await until(() => answers.length === 3)
    await settled()
    expect(prepared).toEqual([0, 1, 2])
  })

  test('prepares anew what was prepared a second ago, since its receiver has come to a halt', async () => {
    let clock = 0
    const { prepared, undone, answers } = crowd(new AttemptGate(LIMITS, () => clock), 6)
    await until(() => answers.length === 2)
    answers[0]!()
    await until(() => prepared.length === 6)
    clock += 1000
    answers[1]!()
    await until(() => answers.length === 4)
    expect([inOrder(prepared), undone]).toEqual([[0, 1, 2, 3, 3, 4, 5], [3]])
  })

  test('uses what came prepared, releases it where it was not used, and prepares anew what came a second ago', async () => {
    let clock = 0
    const gate = new AttemptGate(LIMITS, () => clock)
    const undone: string[] = []
    const pass = (signal: AbortSignal, since: number) =>
      gate.pass('a r', signal, {
        early: { prepared: 'early', since },
        prepare: async () => 'anew',
        work: async (mine) => mine,
        undo: async (mine) => void undone.push(mine),
      })
    expect([await pass(never, 0), undone]).toEqual(['early', []])
    await expect(pass(AbortSignal.abort(new Error('gone')), 0)).rejects.toThrow('gone')
    expect(undone).toEqual(['early'])
    clock = 1000
    expect([await pass(never, 0), undone]).toEqual(['anew', ['early', 'early']])
    gate.close()
    await expect(pass(never, clock)).rejects.toThrow('the worker is stopping')
    expect(undone).toHaveLength(3)
  })

  test('takes back what came prepared where its ticket is not granted at once, and prepares it anew after that', async () => {
    const gate = new AttemptGate({ perAccount: 4, perReceiver: 1 }, () => 0)
    const steps: string[] = []
    const answered = Promise.withResolvers<void>()
    const undoing = Promise.withResolvers<void>()
    const first = gate.pass(
      'a r',
      never,
      only(() => answered.promise),
    )
    const second = gate.pass('a r', never, {
      early: { prepared: 'early', since: 0 },
      prepare: async () => `anew ${steps.push('prepared')}`,
      work: async (mine) => mine,
      undo: (mine) => {
        steps.push(`${mine} undone`)
        return undoing.promise
      },
    })
    await until(() => steps.length > 0)
    expect([gate.waiting, steps]).toEqual([1, ['early undone']])
    // Its ticket comes while the attempt is still taken back.
    answered.resolve()
    await first
    await settled()
    expect(steps).toEqual(['early undone'])
    undoing.resolve()
    expect(await second).toBe('anew 2')
  })

  test('takes a receiver for responsive for a second after its last answer, and not when it took its time', async () => {
    let clock = 0
    const gate = new AttemptGate(LIMITS, () => clock)
    const attempt = (tookMs: number) =>
      gate.pass(
        'a r',
        never,
        only(async () => {
          clock += tookMs
        }),
      )
    expect(gate.isResponsive('a r')).toBe(false)
    await attempt(999)
    expect(gate.isResponsive('a r')).toBe(true)
    clock += 999
    expect(gate.isResponsive('a r')).toBe(true)
    clock += 1
    expect(gate.isResponsive('a r')).toBe(false)
    await attempt(1000)
    expect(gate.isResponsive('a r')).toBe(false)
  })

  test('releases what it had prepared for those that closing rejects, and nothing else', async () => {
    const gate = new AttemptGate(LIMITS, () => 0)
    const { prepared, undone, answers, ends } = crowd(gate, 200)
    await until(() => answers.length === 2)
    answers[0]!()
    await until(() => prepared.length === 131)
    gate.close()
    answers[1]!()
    answers[2]!()
    expect((await ends).slice(0, 4)).toEqual(['sent 0', 'sent 1', 'sent 2', 'the worker is stopping'])
    expect(inOrder(undone)).toEqual(inOrder(prepared).slice(3))
  })
})
