import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { LiveSocket } from '../../../../src/console/api/socket/live-socket.ts'

test('a socket that closes hands nothing more to the browser', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const received: string[] = []
  server.on('connection', (peer) => peer.on('message', (data) => received.push(String(data))))
  const native = vi.spyOn(WebSocket.prototype, 'send')
  const socket = new LiveSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(socket, 'open')
  socket.send('while it is open')
  await expect.poll(() => received).toEqual(['while it is open'])
  socket.close()
  socket.send('while it closes')
  await once(socket, 'close')
  socket.send('once it has closed')
  expect(native.mock.calls).toEqual([['while it is open']])
  native.mockRestore()
  server.close()
})
