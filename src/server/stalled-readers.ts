import type { Server } from 'node:http'

/** How long a reader may take nothing of what is ready for it. */
export const STALLED_READER_MS = 60_000

/**
 * Hangs up when a caller has taken nothing of its response for so long, although there is something to take: it would hold the response,
 * its file and its memory for ever. How long the service itself needs for an answer does not count. One listener for all connections:
 * a timer for each response costs every request more than its headers do.
 */
export function endStalledReaders(server: Server, afterMs: number): void {
  server.setTimeout(afterMs, (socket) => {
    // Between two requests node sets the longer time for which it keeps an idle connection: that is over, then.
    const isIdle = socket.timeout !== afterMs
    if (isIdle || socket.writableLength > 0) socket.destroy()
  })
}
