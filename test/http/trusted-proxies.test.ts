import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { parseCidr } from '../../src/egress/ip-ranges.ts'
import { trustedProxies } from '../../src/http/trusted-proxies.ts'

/** The address that a request counts for, of a connection from 127.0.0.1. */
async function clientOf(forwardedFor: string, ranges: readonly string[]): Promise<string> {
  const app = fastify({ trustProxy: trustedProxies(ranges.map(parseCidr)) })
  app.get('/', async ({ ip }) => ip)
  return (await app.inject({ url: '/', headers: { 'x-forwarded-for': forwardedFor } })).body
}

describe('the client behind trusted proxies', () => {
  test.each([
    ['203.0.113.7', ['127.0.0.1/32'], '203.0.113.7'],
    ['203.0.113.7', [], '127.0.0.1'],
    ['203.0.113.7', ['10.0.0.0/8'], '127.0.0.1'],
    ['198.51.100.1, 203.0.113.7, 10.1.2.3', ['127.0.0.1/32', '10.0.0.0/8'], '203.0.113.7'],
    ['203.0.113.7, ::ffff:10.1.2.3', ['127.0.0.1/32', '10.0.0.0/8'], '203.0.113.7'],
    ['203.0.113.7, fe80::1%eth0', ['127.0.0.1/32', 'fe80::/10'], '203.0.113.7'],
    ['10.0.0.1, 10.0.0.2', ['127.0.0.1/32', '10.0.0.0/8'], '10.0.0.1'],
    ['nonsense, 10.0.0.2', ['127.0.0.1/32', '10.0.0.0/8'], 'nonsense'],
  ])('of %j, with %j trusted, is %s', async (forwardedFor, ranges, client) => {
    expect(await clientOf(forwardedFor, ranges)).toBe(client)
  })

  test('is the 32nd address of a list that names proxies without end, and no more of them are looked at', async () => {
    const list = Array.from({ length: 3000 }, (_, index) => `::${(3000 - index).toString(16)}`)
    expect(await clientOf(list.join(', '), ['127.0.0.1/32', '::/0'])).toBe('::20')
  })
})

test('an address that is not known any more is no proxy', () => {
  const isProxy = trustedProxies([parseCidr('127.0.0.1/32')])
  expect(isProxy !== false && isProxy(undefined as unknown as string, 0)).toBe(false)
})
