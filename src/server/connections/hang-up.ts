import type { FastifyInstance } from 'fastify'

const IDLE_EVERY_MS = 100

/**
 * Ends the connections of a server that closes: all of them after the grace time, and before it each that has nothing left to answer.
 * @param isSending whether any connection has something that it was not able to send yet: Node.js takes it for idle then as well, and
 *   closing would throw the rest of its answer away
 */
export function hangUpWhileClosing(app: FastifyInstance, graceMs: number, isSending: () => boolean): void {
  const { server } = app
  const closeIdle = server.closeIdleConnections.bind(server)
  // Closing calls it as well.
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
