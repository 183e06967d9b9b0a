import type { FastifyRequest } from 'fastify'
import { describeError, toServiceError } from '../errors/describe-error.ts'
import type { ErrorCode } from '../errors/service-error.ts'
import type { Log } from '../values/log.ts'
import { hasLeft } from './client-disconnect.ts'

const LEVELS: Partial<Record<ErrorCode, 'error' | 'warn'>> = { INTERNAL_ERROR: 'error', UNAVAILABLE: 'warn' }

/** Logs what the service, and not its caller, is to blame for. The statements of a disconnected client were cancelled: that is no failure. */
export function logFailure(
  log: Log,
  thrown: unknown,
  request: FastifyRequest,
  response: Parameters<typeof hasLeft>[0],
): void {
  const { code } = toServiceError(thrown)
  const level = LEVELS[code]
  if (level === undefined || (code === 'UNAVAILABLE' && hasLeft(response))) return
  log[level](
    { requestId: request.id, method: request.method, route: request.routeOptions.url, ...describeError(thrown) },
    'a request failed',
  )
}
