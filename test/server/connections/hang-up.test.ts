import { once } from 'node:events'
import { connect } from 'node:net'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { endStalledReaders, hangUpWhileClosing } from '../../../src/server/connections.ts'
import { until } from '../../setup/wait.ts'

const GRACE_MS = 60_000
/** More than the kernel's buffers of a connection hold. */
const PLENTY = Buffer.alloc(24_000_000)

test('a slow reader gets all of an answer that was made before the stop, and its connection ends with it', async () => {
  const app = fastify({ return503OnClosing: false })
  const isSending = endStalledReaders(app.server, GRACE_MS)
  let looks = 0
  hangUpWhileClosing(app, GRACE_MS, () => {
    looks++
    return isSending()
  })
  app.get('/', async () => PLENTY)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await until(isSending, 25_000, 'the answer to wait for its reader')
  const begun = performance.now()
  const closed = app.close()
  await until(() => looks > 2, 25_000, 'the server to look for idle connections')
  let received = 0
  socket.on('data', ({ length }) => {
    received += length
  })
  await once(socket, 'end')
  await closed
  expect(received).toBeGreaterThan(PLENTY.length)
  expect(performance.now() - begun).toBeLessThan(GRACE_MS / 2)
})
