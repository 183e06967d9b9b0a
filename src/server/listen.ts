import type { FastifyInstance } from 'fastify'
import type { Settings } from '../context/config.ts'
import { errorCode } from '../values/data-directory.ts'

/**
 * Connections that the kernel keeps until this process accepts them; it takes fewer where `net.core.somaxconn` is lower. Beyond that a
 * client's request is dropped: it tries again after seconds, and is reset in the end. Node's 511 are fewer than the dashboards that
 * reconnect at once after a restart.
 */
const MAX_UNACCEPTED = 4096

/** Has the server listen where the settings say. @returns its address @throws what an operator can do where it cannot */
export function listen(app: FastifyInstance, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<string> {
  return app.listen({ host, port, backlog: MAX_UNACCEPTED }).catch((error: unknown) => {
    throw explainUnbound(error, host, port)
  })
}

function explainUnbound(error: unknown, host: string, port: number): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new Error(`another process listens on ${host} port ${port}: end it, or set PORT to another one.`)
    case 'EACCES':
      return new Error(`this user may not listen on port ${port}: set PORT to one from 1024.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(`this machine has no address ${host}: set HOST to one that it has.`)
    default:
      return error
  }
}
