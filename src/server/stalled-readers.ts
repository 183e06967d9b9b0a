import type { ServerResponse } from 'node:http'

/** How long a reader may take nothing of what is ready for it. */
export const STALLED_READER_MS = 60_000

/**
 * Hangs up when the caller has taken nothing of the response for so long, although there is something to take: it would hold the
 * response, its file and its memory for ever. How long the service itself needs for an answer does not count. Once the response is
 * finished, the connection lives as long as other idle ones.
 */
export function endWhenStalled(response: ServerResponse, afterMs: number): void {
  response.setTimeout(afterMs, () => {
    if (response.writableLength > 0) response.destroy()
  })
}
