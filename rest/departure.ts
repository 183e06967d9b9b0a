import type { ServerResponse } from 'node:http'
import type { Context } from '../src/context.ts'
import { cancellable } from '../src/db/cancellable.ts'
import { unavailable } from '../src/errors.ts'

const departures = new WeakMap<ServerResponse, AbortSignal>()

/** Aborted when the caller goes away before it has its whole answer. */
export function departureOf(response: ServerResponse): AbortSignal {
  const known = departures.get(response)
  if (known !== undefined) return known
  const departure = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) departure.abort(unavailable('the caller has gone away'))
  })
  departures.set(response, departure.signal)
  return departure.signal
}

/** For a request that only reads: its statements end when its caller goes away. What writes is whole or not at all, and runs to its end. */
export const whileThere = (ctx: Context, response: ServerResponse): Context => ({
  ...ctx,
  db: cancellable(ctx.db, departureOf(response)),
})
