import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchOutput } from '../../src/generation/fetch-output.ts'
import { parseCidr } from '../../src/webhooks/guard-address.ts'

const ANY = ['0.0.0.0/0', '::/0'].map(parseCidr)

/** This machine's own name, which leads to a private or loopback address nearly everywhere. */
const NAME = hostname()
const resolves = await lookup(NAME).then(
  ({ address }) => /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\.|^::1$/.test(address),
  () => false,
)

describe.skipIf(!resolves)('an output on a name that leads to a private address', () => {
  let server: Server
  let connections = 0
  beforeAll(async () => {
    server = createServer((socket) => {
      connections++
      socket
        .on('error', () => undefined)
        .resume()
        .end('no TLS here', () => socket.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  const open = (egressAllow: typeof ANY) => {
    const url = `https://${NAME}:${(server.address() as AddressInfo).port}/a.png`
    return fetchOutput(url, { baseUrl: 'http://cog.example.com', egressAllow, signal: AbortSignal.timeout(20_000) })
  }

  it('is never connected to, unless EGRESS_ALLOW covers the address', async () => {
    await expect(open([])).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      cause: { message: 'the name resolves to a private or reserved address' },
    })
    expect(connections).toBe(0)
    // Only so is the refusal above known to be the guard's: the same address is reached, and fails at TLS.
    await expect(open(ANY)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    expect(connections).toBe(1)
  })
})
