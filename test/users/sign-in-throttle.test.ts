import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRateLimit } from '../../src/server/rate-limit.ts'
import { createUser } from '../../src/users/create-user.ts'
import { openSignInThrottle } from '../../src/users/sign-in.ts'
import { call } from '../setup/http.ts'
import { leastCpu } from '../setup/load/abuses.ts'
import { type AskingThread, startAskingThread } from '../setup/load/asking-thread.ts'
import { codeOf, type GraphqlAnswer } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const PASSWORD = 'correct horse battery'
const WRONG = 'wrong horse battery'
const SIGN_IN =
  'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { __typename } }'
/** Marks that normalization has to sort: before its length was looked at, it took more than a second. */
const UNSORTED_MARKS = '\u0301\u0316'.repeat(24_000)
/** A request without a key may take this long of the serving thread. */
const MAX_CPU_MS = 5
const MAX_GROWTH_BYTES = 8 * 2 ** 20

let service: TestRuntime
let client: AskingThread
let email: string
beforeAll(async () => {
  client = startAskingThread()
  service = await startTestRuntime({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  const account = await service.createAccount()
  const user = { account, email: 'ada@example.org', password: PASSWORD, role: 'owner' } as const
  email = (await createUser(service.runtime.as({ kind: 'system' }), user)).email
})
afterAll(() => Promise.all([client?.close(), service?.close()]))

const requestOf = (address: string, password: string, from: string) => ({
  method: 'POST',
  headers: { 'x-forwarded-for': from },
  body: { query: SIGN_IN, variables: { email: address, password } },
})

async function signIn(address: string, password: string, from: string) {
  const reply = await call(`${service.url}/graphql`, requestOf(address, password, from))
  const answer = reply.json<GraphqlAnswer<unknown>>()
  return { code: codeOf(answer), message: answer.errors?.[0]?.message, status: reply.status }
}

/** Processor time of all threads in microseconds, the least of a few tries of each, in turn: what a busy machine adds is left out. */
async function leastWorkOfEach(tries: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const least = tries.map(() => Number.POSITIVE_INFINITY)
  for (let count = 0; count < 4; count++) {
    for (const [index, attempt] of tries.entries()) {
      const before = process.cpuUsage()
      await attempt()
      const { user, system } = process.cpuUsage(before)
      least[index] = Math.min(least[index]!, user + system)
    }
  }
  return least
}

describe('an e-mail address that is longer than any', () => {
  test('costs less than 5 ms of the event loop, however it would be normalized', async () => {
    let tries = 0
    // From an address of its own each time: none is over its limit.
    const ask = async () => {
      const options = requestOf(UNSORTED_MARKS, WRONG, `203.0.114.${++tries}`)
      const asking = await client.take({ url: `${service.url}/graphql`, options })
      return JSON.parse((await asking()).text) as GraphqlAnswer<unknown>
    }
    const { result, cpuMs } = await leastCpu(ask, MAX_CPU_MS)
    expect(codeOf(result)).toBe('UNAUTHORIZED')
    expect(cpuMs).toBeLessThan(MAX_CPU_MS)
  })

  test('is answered as a wrong password is, after as much work', async () => {
    const [long, known] = [`${'a'.repeat(250)}@example.org`, email]
    expect(await signIn(long, WRONG, '203.0.113.2')).toEqual(await signIn(known, WRONG, '203.0.113.3'))
    const [longWork, knownWork] = await leastWorkOfEach([
      () => signIn(long, WRONG, '203.0.113.4'),
      () => signIn(known, WRONG, '203.0.113.5'),
    ])
    // Without the work it would be a tenth.
    expect(longWork! / knownWork!).toBeGreaterThan(0.4)
    expect(longWork! / knownWork!).toBeLessThan(2.5)
  })
})

describe('the throttle of signing in', () => {
  test('counts addresses that are too long one by one, as it counts others', async () => {
    const codesOf = async (from: string, tail: string) => {
      const codes: (string | undefined)[] = []
      for (let n = 0; n < 7; n++) codes.push((await signIn(`${n}@${tail}`, WRONG, from)).code)
      return codes
    }
    const [short, long] = [
      await codesOf('203.0.113.20', 'a.org'),
      await codesOf('203.0.113.21', `${'a'.repeat(300)}.org`),
    ]
    expect(long).toEqual(short)
    expect(new Set(short)).toEqual(new Set(['UNAUTHORIZED']))
    const again = `1@${'b'.repeat(90_000)}.org`
    const codes: (string | undefined)[] = []
    for (let n = 0; n < 6; n++) codes.push((await signIn(again, WRONG, '203.0.113.22')).code)
    expect(codes).toEqual([...Array<string>(5).fill('UNAUTHORIZED'), 'RATE_LIMITED'])
  })

  test('keeps next to nothing of long addresses, and nothing of attempts that it refuses', async () => {
    const flood = async (round: number) => {
      const codes = new Set<string | undefined>()
      for (let n = 0; n < 60; n++)
        codes.add((await signIn(`${round}.${n}.${'x'.repeat(95_000)}`, WRONG, '203.0.113.6')).code)
      collectGarbage()
      return { codes, heap: process.memoryUsage().heapUsed }
    }
    const before = (await flood(0)).heap
    const { codes, heap } = await flood(1)
    expect([...codes]).toEqual(['RATE_LIMITED'])
    expect(heap - before).toBeLessThan(MAX_GROWTH_BYTES)
  })

  test('asks for the address first: one that is over its limit leaves no trace of the user that it tried', async () => {
    const throttle = openSignInThrottle()
    const wrong = async () => false as const
    for (let n = 0; n < 50; n++) await throttle.attempt(`user${n}@example.org`, '203.0.113.7', wrong)
    const { size } = throttle
    const refused = throttle.attempt('another@example.org', '203.0.113.7', wrong)
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(throttle.size).toBe(size)
  })

  test('counts an IPv6 network as one address, and what could not be tried not at all', async () => {
    const throttle = openSignInThrottle()
    const broken = () => Promise.reject(new Error('no database'))
    for (let n = 0; n < 60; n++) await throttle.attempt('a@example.org', '203.0.113.8', broken).catch(() => undefined)
    expect(throttle.size).toBe(0)
    const wrong = async () => false as const
    for (let n = 0; n < 50; n++) await throttle.attempt(`user${n}@example.org`, `2001:db8::${n}`, wrong)
    const next = throttle.attempt('another@example.org', '2001:db8::ffff:1', wrong)
    await expect(next).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 900 })
    expect(await throttle.attempt('another@example.org', '2001:db8:0:1::1', wrong)).toBe(false)
  })

  test('counts the networks of an IPv6 site together', async () => {
    const throttle = openSignInThrottle()
    const wrong = async () => false as const
    const addressOf = (n: number) => `2001:db8:1:${n.toString(16)}::1`
    for (let n = 0; n < 500; n++) await throttle.attempt(`user${n}@example.org`, addressOf(n), wrong)
    const next = throttle.attempt('another@example.org', addressOf(500), wrong)
    await expect(next).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 900 })
    expect(await throttle.attempt('another@example.org', '2001:db8:2::1', wrong)).toBe(false)
  })

  test('stays bounded, whatever the number of addresses', async () => {
    const throttle = openSignInThrottle()
    const tried = async (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        await throttle.attempt(`user${n}@example.org`, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, async () => false)
      }
      return throttle.size
    }
    const full = await tried(0, 21_000)
    expect(full).toBeLessThanOrEqual(60_000)
    expect(await tried(21_000, 24_000)).toBe(full)
  })
})

test('the rate limit stays bounded, whatever the number of callers', () => {
  const limit = createRateLimit(1)
  for (let n = 0; n < 60_000; n++) limit.count(`ses_${n}`)
  expect(limit.size).toBe(50_000)
  expect([limit.count('ses_59999').error?.code, limit.count('ses_new').error]).toEqual(['RATE_LIMITED', null])
})
