import type { ServerResponse } from 'node:http'
import { cancellable } from '../db/cancellable-client.ts'
import type { Database } from '../db/database.ts'
import { unavailable } from '../errors/service-error.ts'

/** Aborted when the caller goes away before it has its whole answer; and afterwards, when no listener is left. */
export function clientDisconnect(response: ServerResponse): AbortSignal {
  const departure = new AbortController()
  const leave = () => departure.abort(unavailable('the caller has gone away'))
  if (response.destroyed) leave()
  else response.once('close', leave)
  return departure.signal
}

/**
 * The database for a request that only reads: its statements end when its caller goes away. A response that waits for an earlier one of
 * the same connection is not told of the connection's end.
 */
export const whileConnected = (db: Database, response: ServerResponse): Database =>
  cancellable(db, () => response.destroyed || response.req.socket.destroyed)
