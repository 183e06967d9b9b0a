import type { ServerResponse } from 'node:http'
import { unavailable } from '../src/errors.ts'

/** Aborted when the caller goes away before it is answered; and afterwards, when nobody listens any more. */
export function departureOf(response: ServerResponse): AbortSignal {
  const departure = new AbortController()
  response.once('close', () => departure.abort(unavailable('the caller has gone away')))
  return departure.signal
}
