import type { ServerResponse } from 'node:http'
import { type Actor, ownerOf } from '../access/actor.ts'
import type { Recordings } from '../audio/recordings.ts'
import { ServiceError } from '../errors/service-error.ts'

/** Counts an upload before its body, which memory holds whole. @throws UNAVAILABLE if too many are in progress */
export function admitUpload(
  ctx: { readonly actor: Actor; readonly recordings: Recordings },
  response: ServerResponse,
): void {
  const release = ctx.recordings.admit(ownerOf(ctx.actor) ?? '')
  if (release === null)
    throw new ServiceError('UNAVAILABLE', 'Send fewer uploads at once: try again in a moment.', {
      retryAfterSeconds: 1,
    })
  if (response.destroyed) release()
  else response.once('close', release)
}
