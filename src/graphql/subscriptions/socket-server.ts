import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import { handleProtocols } from 'graphql-ws'
import { unavailable } from '../../errors/service-error.ts'
import { MAX_GRAPHQL_BODY_BYTES } from '../limits/limits.ts'

const CLOSE_TIMEOUT_MS = 1000

export async function mountSocketServer(scope: FastifyInstance): Promise<void> {
  let closing = false
  const preClose = function (this: FastifyInstance, done: () => void): void {
    closing = true
    closeSockets(this, done)
  }
  await scope.register(websocket, { options: { maxPayload: MAX_GRAPHQL_BODY_BYTES, handleProtocols }, preClose })
  scope.addHook('onRequest', async ({ ws }) => {
    if (ws && closing) throw unavailable('the process is stopping')
  })
}

function closeSockets({ websocketServer }: FastifyInstance, done: () => void): void {
  for (const client of websocketServer.clients) client.close(1001, 'Going away')
  setTimeout(() => {
    for (const client of websocketServer.clients) client.terminate()
  }, CLOSE_TIMEOUT_MS).unref()
  websocketServer.close(() => done())
}
