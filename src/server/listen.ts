import type { FastifyInstance } from 'fastify'
import type { Settings } from '../context/config.ts'
import { explainUnbound } from './explain-unbound.ts'

/**
 * Connections that the kernel keeps until this process accepts them; it takes fewer where `net.core.somaxconn` is lower. Beyond that a
 * client's request is dropped: it tries again after seconds, and is reset in the end. Node's 511 are fewer than the dashboards that
 * reconnect at once after a restart.
 */
const MAX_UNACCEPTED = 4096

/** Has the server listen where the settings say. @returns its address @throws what an operator can do where it cannot */
export function listen(app: FastifyInstance, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<string> {
  return app.listen({ host, port, backlog: MAX_UNACCEPTED }).catch((error: unknown) => {
    throw explainUnbound(error, { host, port, hostVariable: 'HOST', portVariable: 'PORT' })
  })
}
