import type { FastifyRequest } from 'fastify'
import { describeError } from '../errors/describe-error.ts'
import type { Log } from '../values/log.ts'
import { hasLeft } from './client-disconnect.ts'

const LEVELS: Readonly<Record<string, 'error' | 'warn'>> = { INTERNAL_ERROR: 'error', UNAVAILABLE: 'warn' }

const CLOSED_EARLY = 'ERR_STREAM_PREMATURE_CLOSE'

/** Logs failures of the service. A client's disconnect is not one. */
export function logFailure(
  log: Log,
  code: string,
  thrown: unknown,
  { request, response }: { readonly request: FastifyRequest; readonly response: Parameters<typeof hasLeft>[0] },
): void {
  const level = LEVELS[code]
  if (level === undefined || (hasLeft(response) && isOfLeaving(code, thrown))) return
  log[level](
    { requestId: request.id, method: request.method, route: request.routeOptions.url, ...describeError(thrown) },
    'a request failed',
  )
}

const isOfLeaving = (code: string, thrown: unknown): boolean =>
  code === 'UNAVAILABLE' || (thrown as NodeJS.ErrnoException | null)?.code === CLOSED_EARLY
