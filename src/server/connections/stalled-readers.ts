import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a reader may take nothing of what is ready for it. */
export const STALLED_READER_MS = 60_000

/** Every connection is polled so often within that time. */
const POLLS = 6

/** A line of /proc/net/tcp: number, both addresses, state, `tx_queue:rx_queue`, timer, retransmits, user, timeout, inode. */
const CONNECTION = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+) /gm
const INODE = /^socket:\[(\d+)\]$/

/** Kernel buffers hold megabytes: where it is unknown what is in them, a slow reader seems to stand still for minutes. */
const TIMES_UNSEEN = 10

/** What node keeps of a socket. */
interface WritingSocket extends Socket {
  readonly _handle?: {
    /** How much of what it was given the kernel has not taken yet. */
    readonly writeQueueSize: number
    readonly fd?: number
  } | null
}

/** What of a connection's answer was not taken, and since when that is so. */
interface Stall {
  readonly since: number
  readonly written: number
  readonly queued: number
  /** What the kernel has of it that the reader's side has not acknowledged, in bytes; undefined where that cannot be seen. */
  readonly held: number | undefined
}

/** By socket, what the kernel has of it that was not acknowledged, in bytes; without those of which it cannot be seen. */
type ReadHeld = (sockets: readonly WritingSocket[]) => Promise<ReadonlyMap<Socket, number>>

/**
 * Hangs up when a caller has taken nothing of its response for so long, although there is something to take: it would hold the response,
 * its file and its memory for ever. How long the service itself needs for an answer does not count, and neither does what the caller
 * sends meanwhile, which begins a socket's own timeout anew. One poll of all connections: a timer for each response costs every request
 * more than its headers do.
 * @returns whether any connection has something that its reader has not taken yet
 */
export function endStalledReaders(server: Server, afterMs: number, readHeld: ReadHeld = heldByKernel): () => boolean {
  const open = new Map<WritingSocket, Stall | null>()
  server.on('connection', (socket) => {
    open.set(socket, null)
    socket.once('close', () => open.delete(socket))
  })
  const judge = (socket: WritingSocket, held: number | undefined): void => {
    const before = open.get(socket)
    if (before === undefined) return
    const now = performance.now()
    const stall = stallOf(socket, held, before, now)
    const limitMs = held === undefined ? afterMs * TIMES_UNSEEN : afterMs
    if (stall !== null && now - stall.since >= limitMs) socket.destroy()
    else open.set(socket, stall)
  }
  let isPolling = false
  const poll = async (): Promise<void> => {
    if (isPolling) return
    isPolling = true
    const waiting: WritingSocket[] = []
    for (const [socket] of open) {
      if (socket.writableLength > 0) waiting.push(socket)
      else open.set(socket, null)
    }
    try {
      const held = waiting.length > 0 ? await readHeld(waiting) : null
      for (const socket of waiting) judge(socket, held?.get(socket))
    } finally {
      isPolling = false
    }
  }
  const timer = setInterval(() => void poll(), afterMs / POLLS).unref()
  server.once('close', () => clearInterval(timer))
  return () => [...open.keys()].some(({ writableLength }) => writableLength > 0)
}

/** Null where everything was taken. */
function stallOf(socket: WritingSocket, held: number | undefined, before: Stall | null, now: number): Stall | null {
  if (socket.writableLength === 0) return null
  const [written, queued] = [socket.bytesWritten, socket._handle?.writeQueueSize ?? 0]
  const isSame = before?.written === written && before.queued === queued && before.held === held
  return isSame ? before : { since: now, written, queued, held }
}

/** Linux tells of each connection how much is not acknowledged. It lists all of them: they are read once for all that wait. */
async function heldByKernel(sockets: readonly WritingSocket[]): Promise<ReadonlyMap<Socket, number>> {
  const held = new Map<Socket, number>()
  const byInode = new Map(sockets.map((socket) => [inodeOf(socket), socket]))
  byInode.delete(null)
  if (byInode.size === 0) return held
  for (const table of await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')),
  ))
    for (const [, bytes = '', inode = ''] of table.matchAll(CONNECTION)) {
      const socket = byInode.get(inode)
      if (socket !== undefined) held.set(socket, Number.parseInt(bytes, 16))
    }
  return held
}

/** Read at once: a moment later the descriptor may be another connection's. */
function inodeOf({ _handle }: WritingSocket): string | null {
  try {
    return INODE.exec(readlinkSync(`/proc/self/fd/${_handle?.fd}`))?.[1] ?? null
  } catch {
    return null
  }
}
