import { describe, expect, test } from 'vitest'
import { checkPassword, hashPassword, verifyPassword } from '../../src/users/password.ts'

const LOOKS = 9

/** Processor time of all threads in microseconds, the least of some: what a busy machine adds is left out. */
async function leastWork(work: () => Promise<unknown>): Promise<number> {
  const spent: number[] = []
  for (let count = 0; count < LOOKS; count++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    spent.push(user + system)
  }
  return Math.min(...spent)
}

describe('a password', () => {
  test('is verified against its own hash only, however its letters are composed', async () => {
    const [one, two] = await Promise.all([hashPassword('passé composé 1'), hashPassword('passé composé 1')])
    expect(one).not.toBe(two)
    expect(await verifyPassword('passe\u0301 compose\u0301 1', one)).toBe(true)
    expect(await verifyPassword('passe compose 1', one)).toBe(false)
    expect(await verifyPassword('', one)).toBe(false)
  })

  test('of no user is never right, and takes the same work', async () => {
    const stored = await hashPassword('correct horse battery')
    expect(await verifyPassword('', null)).toBe(false)
    const [known, unknown] = [
      await leastWork(() => verifyPassword('wrong horse battery', stored)),
      await leastWork(() => verifyPassword('wrong horse battery', null)),
    ]
    expect(unknown / known).toBeGreaterThan(0.5)
    expect(unknown / known).toBeLessThan(2)
  })

  test.each(['short', 'x'.repeat(257), `lone surrogate \ud800`])('of the wrong size or content is refused', (text) => {
    expect(() => checkPassword(text)).toThrow(/password/)
  })

  test('may be a passphrase in any language', () => {
    expect(() => checkPassword('パスワードはとても長いです')).not.toThrow()
  })
})
