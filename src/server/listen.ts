import type { FastifyInstance } from 'fastify'
import type { Settings } from '../context/config.ts'
import { explainUnbound } from './explain-unbound.ts'

/** Connections that wait in the kernel; `net.core.somaxconn` caps it. Beyond it the kernel drops new connections. */
const MAX_UNACCEPTED = 4096

/** @throws an error that tells the operator how to mend it */
export function listen(app: FastifyInstance, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<string> {
  return app.listen({ host, port, backlog: MAX_UNACCEPTED }).catch((error: unknown) => {
    throw explainUnbound(error, { host, port, hostVariable: 'HOST', portVariable: 'PORT' })
  })
}
