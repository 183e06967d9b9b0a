import type { ServerResponse } from 'node:http'
import { cancellable } from '../db/cancellable-client.ts'
import type { Database } from '../db/database.ts'
import { unavailable } from '../errors/service-error.ts'

/**
 * Aborted when the client disconnects before it has its whole answer. To be asked for before anything is waited for: a client that
 * disconnects meanwhile would stay unnoticed.
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
 * The database for a request that only reads: its statements end when its client disconnects. A response that waits for an earlier one of
 * the same connection does not hear of the connection's end.
 * @param owner whose share of the connections they take
 */
export const whileConnected = (db: Database, response: ServerResponse, owner?: string): Database =>
  cancellable(db, () => hasLeft(response), owner)

/** Whether nothing receives the response any more: it does not hear of that itself where its request broke off in what is no HTTP. */
export const hasLeft = (response: ServerResponse): boolean => response.destroyed || response.req.socket.destroyed
