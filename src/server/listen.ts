import type { FastifyInstance } from 'fastify'
import type { Settings } from '../context/config.ts'
import { errorCode } from '../values/data-directory.ts'

/** Connections that wait in the kernel; `net.core.somaxconn` caps it. Beyond it the kernel drops new connections. */
const MAX_UNACCEPTED = 4096

interface Address {
  readonly host: string
  readonly port: number
  readonly hostVariable: string
  readonly portVariable: string
}

/** @throws an error that tells the operator how to mend it */
export function listen(app: FastifyInstance, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<string> {
  return app.listen({ host, port, backlog: MAX_UNACCEPTED }).catch((error: unknown) => {
    throw explainUnbound(error, { host, port, hostVariable: 'HOST', portVariable: 'PORT' })
  })
}

export function explainUnbound(error: unknown, { host, port, hostVariable, portVariable }: Address): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new Error(
        `another process listens on ${host} port ${port}: end it, or set ${portVariable} to another one.`,
      )
    case 'EACCES':
      return new Error(`this user may not listen on port ${port}: set ${portVariable} to one from 1024.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(`this machine has no address ${host}: set ${hostVariable} to one that it has.`)
    default:
      return error
  }
}
