import type { FastifyInstance } from 'fastify'

const IDLE_EVERY_MS = 100

/**
 * When the server closes, ends idle connections repeatedly and all connections after the grace time.
 * @param isSending whether any connection has unsent bytes: Node.js would treat it as idle and drop them
 */
export function hangUpWhileClosing(app: FastifyInstance, graceMs: number, isSending: () => boolean): void {
  const { server } = app
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (!isSending()) closeIdle()
  }
  app.addHook('preClose', async () => {
    const grace = setTimeout(() => server.closeAllConnections(), graceMs)
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS)
    server.once('close', () => {
      clearTimeout(grace)
      clearInterval(idle)
    })
  })
}
