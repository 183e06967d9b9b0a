import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a reader may take nothing of what is ready for it. */
export const STALLED_READER_MS = 60_000

/** Every connection is polled so often within that time. */
const POLLS = 6

/** What node keeps of a socket. */
interface WritingSocket extends Socket {
  /** How much of what it was given the kernel has not taken yet. */
  readonly _handle?: { readonly writeQueueSize: number } | null
}

/** What of a connection's answer was not taken, and since when that is so. */
interface Stall {
  readonly since: number
  readonly written: number
  readonly queued: number
}

/**
 * Hangs up when a caller has taken nothing of its response for so long, although there is something to take: it would hold the response,
 * its file and its memory for ever. How long the service itself needs for an answer does not count, and neither does what the caller
 * sends meanwhile, which begins a socket's own timeout anew. One poll of all connections: a timer for each response costs every request
 * more than its headers do.
 */
export function endStalledReaders(server: Server, afterMs: number): void {
  const open = new Map<WritingSocket, Stall | null>()
  server.on('connection', (socket) => {
    open.set(socket, null)
    socket.once('close', () => open.delete(socket))
  })
  const poll = (): void => {
    const now = performance.now()
    for (const [socket, before] of open) {
      const stall = stallOf(socket, before, now)
      if (stall !== null && now - stall.since >= afterMs) socket.destroy()
      else if (stall !== before) open.set(socket, stall)
    }
  }
  const timer = setInterval(poll, afterMs / POLLS).unref()
  server.once('close', () => clearInterval(timer))
}

/** Null where everything was taken. */
function stallOf(socket: WritingSocket, before: Stall | null, now: number): Stall | null {
  if (socket.writableLength === 0) return null
  const [written, queued] = [socket.bytesWritten, socket._handle?.writeQueueSize ?? 0]
  return before?.written === written && before.queued === queued ? before : { since: now, written, queued }
}
