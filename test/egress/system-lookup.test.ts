import type { LookupAddress } from 'node:dns'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemLookup } from '../../src/egress/system-lookup.ts'

const ADDRESSES: LookupAddress[] = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
]
const HUNG = new Promise<never>(() => undefined)

afterEach(() => vi.useRealTimers())

describe('the name of a server that an operator configured', () => {
  test('is asked of the system, in small letters', async () => {
    const asked: string[] = []
    const lookup = systemLookup(async (name) => {
      asked.push(name)
      return ADDRESSES
    })
    expect(await promisify(lookup)('GPU-1', { all: true })).toEqual(ADDRESSES)
    expect(asked).toEqual(['gpu-1'])
  })

  test('is one address for a caller that takes one', async () => {
    const lookup = systemLookup(async () => ADDRESSES)
    const given = new Promise((resolve) => lookup('a.test', {}, (...answer) => resolve(answer)))
    expect(await given).toEqual([null, '192.0.2.1', 4])
  })

  test.each(['localhost', 'LOCALHOST.', 'voice.localhost'])(
    'is this machine if it is %s, whatever hangs',
    async (name) => {
      const addresses = await promisify(systemLookup(() => HUNG))(name, { all: true })
      expect(addresses).toEqual([
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ])
    },
  )

  test('is asked for once at a time, and again after the answer, which may be an error', async () => {
    let asked = 0
    const lookup = promisify(
      systemLookup(async () => {
        asked++
        throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      }),
    )
    const answers = await Promise.allSettled(['b.test', 'b.test', 'B.test'].map((name) => lookup(name, {})))
    expect(answers).toEqual(
      Array(3).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'ENOTFOUND' }) }),
    )
    expect(asked).toBe(1)
    await expect(lookup('b.test', {})).rejects.toThrow('no such name')
    expect(asked).toBe(2)
  })

  test('is given up before undici gives the connection up, and takes no second thread of the system while it hangs', async () => {
    vi.useFakeTimers()
    let asked = 0
    const lookup = promisify(
      systemLookup(() => {
        asked++
        return HUNG
      }),
    )
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = expect(lookup('hanging.test', {})).rejects.toMatchObject({ code: 'ETIMEOUT' })
      await vi.advanceTimersByTimeAsync(9_000)
      await answer
    }
    expect(asked).toBe(1)
  })
})
