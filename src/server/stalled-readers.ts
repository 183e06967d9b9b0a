import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a reader may take nothing of what is ready for it. */
export const STALLED_READER_MS = 60_000

/** A connection is looked at so often within that time. */
const LOOKS = 6

/** What node keeps of a socket. */
interface WritingSocket extends Socket {
  /** How much of what it was given the kernel has not taken yet. */
  readonly _handle?: { readonly writeQueueSize: number } | null
}

interface Stall {
  readonly looks: number
  /** What was written by then, and what of it was not taken: the same at the next look where nothing was. */
  readonly written: number
  readonly queued: number
}

/**
 * Hangs up when a caller has taken nothing of its response for so long, although there is something to take: it would hold the response,
 * its file and its memory for ever. How long the service itself needs for an answer does not count. One listener for all connections:
 * a timer for each response costs every request more than its headers do. Node passes over the first timeout after a write that was
 * taken in part, however long it is: many short ones come close to the time, one long one would double it.
 */
export function endStalledReaders(server: Server, afterMs: number): void {
  const stalls = new WeakMap<Socket, Stall>()
  const lookMs = afterMs / LOOKS
  server.setTimeout(lookMs, (socket: WritingSocket) => {
    // Between two requests node sets the longer time for which it keeps an idle connection: that is over, then.
    if (socket.timeout !== lookMs) return void socket.destroy()
    if (socket.writableLength === 0) return
    const [written, queued, before] = [socket.bytesWritten, socket._handle?.writeQueueSize ?? 0, stalls.get(socket)]
    const looks = before?.written === written && before.queued === queued ? before.looks + 1 : 1
    if (looks >= LOOKS) return void socket.destroy()
    stalls.set(socket, { looks, written, queued })
    socket.setTimeout(lookMs)
  })
}
