import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCidr } from '../../../src/egress/ip-ranges.ts'
import type { Resolver } from '../../../src/egress/resolver.ts'
import { openPoster, type Poster } from '../../../src/webhooks/delivery/post-webhook.ts'
import type { Attempt } from '../../../src/webhooks/delivery/webhook-delivery.ts'
import { type Certificates, testCertificates } from '../../setup/servers/certificates.ts'
import { type Receiver, startReceiver } from '../../setup/servers/receiver.ts'

const never = new AbortController().signal
const resolver: Resolver = { resolve: async () => ['127.0.0.1'] }

let certificates: Certificates
let receiver: Receiver
let poster: Poster
let post: Poster['post']

beforeAll(async () => {
  certificates = testCertificates()
  receiver = await startReceiver(certificates.good)
  const guard = { resolver, egressAllow: [parseCidr('127.0.0.0/8')] }
  poster = openPoster(guard)
  post = poster.post
})
afterAll(async () => {
  await poster?.close()
  await receiver?.close()
})

let attempts = 0
const attemptTo = (path: string, origin = receiver.url): Attempt => ({
  deliveryId: `msg_${++attempts}`,
  accountId: 'acct',
  url: `${origin}${path}`,
  headers: { id: `msg_${attempts}`, timestamp: '1700000000', signature: 'v1,sig' },
  body: Buffer.from('{"é":"\\u0000"}'),
  round: 1,
  number: 1,
})

describe('postCallback', () => {
  test('sends the bytes and headers of the snapshot, and only its own besides', async () => {
    const attempt = attemptTo('/snapshot?a=b')
    expect(await post(attempt, never)).toMatchObject({ outcome: 'succeeded', responseStatus: 204 })
    const [request] = receiver.received('/snapshot?a=b')
    expect(request!.body).toEqual(attempt.body)
    expect(request!.headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(attempt.body.length),
      'user-agent': 'Sonant',
      'webhook-id': attempt.headers.id,
      'webhook-timestamp': '1700000000',
      'webhook-signature': 'v1,sig',
    })
  })

  test('an attempt that its worker gives up while it waits for an answer is interrupted soon', async () => {
    receiver.on('/never', () => undefined)
    const controller = new AbortController()
    const posted = post(attemptTo('/never'), controller.signal)
    await receiver.waitFor('/never')
    controller.abort()
    const { outcome, durationMs } = await posted
    expect(outcome).toBe('interrupted')
    expect(durationMs).toBeLessThan(9000)
  })

  test('an early hint is not the answer', async () => {
    receiver.on('/hint', (response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.writeHead(503).end('no'))
    })
    expect(await post(attemptTo('/hint'), never)).toMatchObject({ outcome: 'status_503', responseStatus: 503 })
  })

  test('a connection that breaks in the middle of the body does not take the status back', async () => {
    receiver.on('/torn', (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.socket!.destroy())
    })
    const { outcome, response } = await post(attemptTo('/torn'), never)
    expect([outcome, response?.toString()]).toEqual(['succeeded', 'half'])
  })

  test('hundreds at once to a name and to an address each get the answer to their own bytes', async () => {
    receiver.on('/many', (response, request) => void response.writeHead(200).end(request.headers['webhook-id']))
    const before = receiver.connections()
    const all = Array.from({ length: 300 }, (_, nth) =>
      attemptTo('/many', nth % 2 === 0 ? receiver.url : `https://good.hooks.test:${receiver.port}`),
    )
    // As many as the worker sends to one receiver at once.
    const senders = Array.from({ length: 16 }, async (_, sender) => {
      for (const attempt of all.filter((_attempt, nth) => nth % 16 === sender)) {
        const { response } = await post(attempt, never)
        expect(response?.toString()).toBe(attempt.headers.id)
      }
    })
    await Promise.all(senders)
    expect(receiver.received('/many')).toHaveLength(300)
    expect(receiver.connections() - before).toBeLessThanOrEqual(32)
  })

  test('a connection is not used again after a body that was cut off', async () => {
    receiver.on('/long', (response) => void response.writeHead(200).end('x'.repeat(100_000)))
    expect((await post(attemptTo('/long'), never)).response).toHaveLength(1024)
    receiver.on('/after', (response) => void response.writeHead(200).end('mine'))
    expect((await post(attemptTo('/after'), never)).response?.toString()).toBe('mine')
  })
})
