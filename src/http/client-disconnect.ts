import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { cancellable } from '../db/cancellable-client.ts'
import type { Database } from '../db/database.ts'
import { describeError } from '../errors/describe-error.ts'
import { unavailable } from '../errors/service-error.ts'
import type { Log } from '../values/log.ts'

const LEVELS: Readonly<Record<string, 'error' | 'warn'>> = { INTERNAL_ERROR: 'error', UNAVAILABLE: 'warn' }

const CLOSED_EARLY = 'ERR_STREAM_PREMATURE_CLOSE'

/**
 * Aborted when the client disconnects before it has its whole answer.
 * Call it before the first await, or an early disconnect goes unnoticed.
 */
export function clientDisconnect(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController()
  const abort = () => disconnected.abort(unavailable('the client has disconnected'))
  if (response.destroyed) abort()
  else
    response.once('close', () => {
      if (!response.writableFinished) abort()
    })
  return disconnected.signal
}

/**
 * A database for reads: their statements end when the client disconnects.
 * @param owner account whose share of the connections they take
 */
export const whileConnected = (db: Database, response: ServerResponse, owner?: string): Database =>
  cancellable(db, () => hasLeft(response), owner)

/** A pipelined response gets no close event, so this also checks the socket. */
export const hasLeft = (response: ServerResponse): boolean => response.destroyed || response.req.socket.destroyed

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
