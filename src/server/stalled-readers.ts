import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { waitsForReader } from '../http/slow-reader.ts'

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
  /** Since when nothing was taken, in milliseconds of `performance.now()`. */
  readonly since: number
  /** What was written by then, and what of it was not taken: the same at the next look where nothing was. */
  readonly written: number
  readonly queued: number
}

/**
 * Hangs up when a caller has taken nothing of its response for so long, although there is something to take: it would hold the response,
 * its file and its memory for ever. How long the service itself needs for an answer does not count. One timer looks at all connections:
 * a time limit of node's own on each of them is set and unset with every request, which costs a tenth of a short answer.
 */
export function endStalledReaders(server: Server, afterMs: number): void {
  const open = new Map<WritingSocket, Stall | null>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    for (const [socket, before] of open) {
      const stall = stallOf(socket, before)
      open.set(socket, stall)
      if (stall !== null && performance.now() - stall.since >= afterMs) socket.destroy()
    }
  }
  const forget = (socket: Socket): void => {
    open.delete(socket)
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  server.on('connection', (socket) => {
    open.set(socket, null)
    timer ??= setInterval(look, afterMs / LOOKS).unref()
    socket.once('close', () => forget(socket))
  })
  // What has left HTTP has limits of its own.
  server.on('upgrade', (_request, socket) => forget(socket as Socket))
}

/** null: nothing waits to be taken, or it may wait for longer. */
function stallOf(socket: WritingSocket, before: Stall | null): Stall | null {
  if (socket.writableLength === 0 || waitsForReader(socket)) return null
  const [written, queued] = [socket.bytesWritten, socket._handle?.writeQueueSize ?? 0]
  const isSame = before?.written === written && before.queued === queued
  return isSame ? before : { since: performance.now(), written, queued }
}
