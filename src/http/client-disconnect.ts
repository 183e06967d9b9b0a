import type { ServerResponse } from 'node:http'
import { cancellable } from '../db/cancellable-client.ts'
import type { Database } from '../db/database.ts'
import { unavailable } from '../errors/service-error.ts'

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
