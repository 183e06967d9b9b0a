import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Behaviour, type Receiver, startReceiver } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime

beforeAll(async () => {
  fixture = await openWebhookFixture({ webhooks: true })
  ;({ receiver, service } = fixture)
})
afterAll(() => fixture?.close())

/** Sends a test webhook of a fresh account to a URL, and waits for its first attempt's outcome or for all of them. */
async function deliver(url: string, wait: 'first' | 'all') {
  const owner = await createOwner(service, url)
  const id = await owner.sendTest()
  if (wait === 'all') return owner.outcomeOf(id)
  return until(
    async () => {
      const delivery = await owner.delivery(id)
      return delivery.attempts[0]?.outcome ? delivery : undefined
    },
    60_000,
    'the first attempt to end',
  ) as Promise<Awaited<ReturnType<typeof owner.delivery>>>
}

const answering =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end('kept')

describe('a receiver that answers', () => {
  test.each([200, 201, 204, 299])('%i has taken the delivery', async (status) => {
    receiver.on(`/status/${status}`, answering(status))
    const delivery = await deliver(`${receiver.url}/status/${status}`, 'all')
    expect(delivery).toMatchObject({ state: 'succeeded', outcome: 'succeeded', nextAttemptAt: null })
    expect(delivery.attempts).toMatchObject([{ number: 1, outcome: 'succeeded', responseStatus: status }])
    expect(receiver.received(`/status/${status}`)).toHaveLength(1)
  })

  test.concurrent.each([301, 302, 307, 400, 404, 410, 429, 500, 503])(
    '%i is asked four times with the same bytes, and the outcome is data',
    async (status) => {
      const path = `/status/${status}`
      receiver.on(path, answering(status, { location: `${receiver.url}/elsewhere` }))
      const delivery = await deliver(receiver.url + path, 'all')
      expect(delivery).toMatchObject({ state: 'failed', outcome: `status_${status}` })
      expect(
        delivery.attempts.map(({ number, responseStatus, response }) => [number, responseStatus, response]),
      ).toEqual([1, 2, 3, 4].map((number) => [number, status, 'kept']))
      const requests = receiver.received(path)
      expect(requests).toHaveLength(4)
      expect(
        new Set(requests.map(({ headers, body }) => JSON.stringify([headers, body.toString('base64')]))).size,
      ).toBe(1)
      expect(receiver.received('/elsewhere')).toEqual([])
    },
  )

  test('a retry that is taken ends the delivery', async () => {
    receiver.on('/third', (response, _request, nth) => response.writeHead(nth < 3 ? 503 : 204).end())
    const delivery = await deliver(`${receiver.url}/third`, 'all')
    expect(delivery.attempts.map(({ outcome }) => outcome)).toEqual(['status_503', 'status_503', 'succeeded'])
    expect(receiver.received('/third')).toHaveLength(3)
  })

  test('an endless body is cut off after its first kilobyte, and the status counts', async () => {
    const closed = new Promise<void>((resolve) => {
      receiver.on('/endless', (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write('x'.repeat(4096)), 1)
        response.once('close', () => {
          clearInterval(timer)
          resolve()
        })
      })
    })
    const delivery = await deliver(`${receiver.url}/endless`, 'all')
    expect(delivery.attempts).toMatchObject([{ outcome: 'succeeded', response: 'x'.repeat(1024) }])
    await closed
  })

  test('a gzip bomb is kept as the bytes that came and never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    receiver.on('/bomb', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const delivery = await deliver(`${receiver.url}/bomb`, 'all')
    expect(delivery.attempts).toMatchObject([{ outcome: 'succeeded', responseStatus: 200 }])
    expect(delivery.attempts[0]!.response!.length).toBeLessThanOrEqual(1024)
  })

  test('headers of a megabyte are a bad response', async () => {
    receiver.on('/headers', (response) => {
      response.socket!.write(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(1_000_000)}\r\ncontent-length: 0\r\n\r\n`)
    })
    expect((await deliver(`${receiver.url}/headers`, 'first')).attempts[0]).toMatchObject({ outcome: 'bad_response' })
  })

  test('no HTTP at all is a bad response', async () => {
    receiver.on('/noise', (response) => void response.socket!.end('SSH-2.0-OpenSSH_9.9\r\n'))
    expect((await deliver(`${receiver.url}/noise`, 'first')).attempts[0]).toMatchObject({ outcome: 'bad_response' })
  })

  test('early hints before the answer are not the answer', async () => {
    receiver.on('/hints', (response, _request, nth) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.writeHead(nth === 1 ? 500 : 202, { 'transfer-encoding': 'chunked' })
      response.write('in ')
      response.end('pieces')
    })
    const delivery = await deliver(`${receiver.url}/hints`, 'all')
    expect(delivery.attempts).toMatchObject([
      { outcome: 'status_500', response: 'in pieces' },
      { outcome: 'succeeded', responseStatus: 202, response: 'in pieces' },
    ])
  })

  test('a connection closed or reset after the request is tried again', async () => {
    receiver.on('/close', (response) => response.socket!.destroy())
    receiver.on('/reset', (_response, request) => receiver.reset(request))
    for (const path of ['/close', '/reset']) {
      const delivery = await deliver(receiver.url + path, 'all')
      expect(delivery).toMatchObject({ state: 'failed', outcome: 'connection_closed' })
      expect(receiver.received(path)).toHaveLength(4)
    }
  })
})

describe.concurrent('a receiver that takes its time', () => {
  const within = (ms: number) => expect.toSatisfy((value: number) => value >= ms && value < ms + 20_000)

  test('an answer after 9.5 s has taken the delivery', async () => {
    receiver.on('/late', (response) => void setTimeout(() => response.writeHead(200).end(), 9500))
    const outcome = async () => (await deliver(`${receiver.url}/late`, 'first')).attempts[0]?.outcome
    // Half a second is left, which a busy machine may take: an earlier end would be that of every attempt.
    let [last, tries] = [await outcome(), 1]
    while (last === 'timeout' && tries++ < 3) last = await outcome()
    expect(last).toBe('succeeded')
  })

  test('an answer after 10.4 s comes too late', async () => {
    receiver.on('/later', (response) => void setTimeout(() => response.writeHead(200).end(), 10_400))
    const { attempts } = await deliver(`${receiver.url}/later`, 'first')
    expect(attempts[0]).toMatchObject({ outcome: 'timeout', responseStatus: null, durationMs: within(9900) })
  })

  test('silence before the headers ends after 10 s', async () => {
    receiver.on('/silence', () => undefined)
    const { attempts } = await deliver(`${receiver.url}/silence`, 'first')
    expect(attempts[0]).toMatchObject({ outcome: 'timeout', durationMs: within(9900) })
  })

  test('headers a byte at a time end after 10 s', async () => {
    receiver.on('/drip', (response) => {
      response.socket!.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => response.socket?.write('a'), 200)
      response.socket!.once('close', () => clearInterval(timer))
    })
    const { attempts } = await deliver(`${receiver.url}/drip`, 'first')
    expect(attempts[0]).toMatchObject({ outcome: 'timeout', durationMs: within(9900) })
  })

  test('a TLS handshake that stalls ends after 10 s', async () => {
    const sockets: Socket[] = []
    const silent = await listening((socket) => void sockets.push(socket.on('error', () => undefined)))
    const { attempts } = await deliver(`https://127.0.0.1:${silent.port}/`, 'first')
    expect(attempts[0]).toMatchObject({ outcome: 'timeout', durationMs: within(9900) })
    for (const socket of sockets) socket.destroy()
    silent.server.close()
  })

  test('a body that never ends its first kilobyte does not take the success back', async () => {
    receiver.on('/trickle', (response) => void response.writeHead(200).write('some'))
    const { attempts } = await deliver(`${receiver.url}/trickle`, 'first')
    expect(attempts[0]).toMatchObject({ outcome: 'succeeded', response: 'some' })
    expect(attempts[0]!.durationMs).toBeLessThan(8000)
  })
})

describe('a receiver that cannot be trusted', () => {
  test.each(['selfSigned', 'expired', 'wrongHost'] as const)('its certificate is %s: nothing is sent', async (name) => {
    const other = await startReceiver(fixture.certificates[name])
    const delivery = await deliver(`${other.url}/`, 'all')
    expect(delivery).toMatchObject({ state: 'failed', outcome: 'tls_failed' })
    expect(delivery.attempts).toHaveLength(4)
    expect(other.connections()).toBe(4)
    expect(other.received('/')).toEqual([])
    await other.close()
  })

  test('one that closes at once, and one that is not there, are distinguished', async () => {
    const closing = await listening((socket) => socket.on('error', () => undefined).destroy())
    expect(await deliver(`https://127.0.0.1:${closing.port}/`, 'first')).toMatchObject({ outcome: 'tls_failed' })
    await new Promise((resolve) => closing.server.close(resolve))
    expect(await deliver(`https://127.0.0.1:${closing.port}/`, 'all')).toMatchObject({ outcome: 'connect_failed' })
  })
})

async function listening(onSocket: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer(onSocket)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as { port: number }).port }
}
