import type { FastifyRequest } from 'fastify'
import { describeError } from '../errors/describe-error.ts'
import type { Log } from '../values/log.ts'
import { hasLeft } from './client-disconnect.ts'

const LEVELS: Readonly<Record<string, 'error' | 'warn'>> = { INTERNAL_ERROR: 'error', UNAVAILABLE: 'warn' }

/**
 * Logs what the service, and not its caller, is to blame for. The statements of a disconnected client were cancelled: that is no failure.
 * @param code what the caller is answered with
 */
export function logFailure(
  log: Log,
  code: string,
  thrown: unknown,
  { request, response }: { readonly request: FastifyRequest; readonly response: Parameters<typeof hasLeft>[0] },
): void {
  const level = LEVELS[code]
  if (level === undefined || (code === 'UNAVAILABLE' && hasLeft(response))) return
  log[level](
    { requestId: request.id, method: request.method, route: request.routeOptions.url, ...describeError(thrown) },
    'a request failed',
  )
}
