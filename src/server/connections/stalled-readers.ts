import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export const STALLED_READER_MS = 60_000

const POLLS = 6

/** Line of /proc/net/tcp: number, both addresses, state, `tx_queue:rx_queue`, timer, retransmits, user, timeout, inode. */
const CONNECTION = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+) /gm
const INODE = /^socket:\[(\d+)\]$/

/** Kernel buffers hold megabytes: without the kernel's figures a slow reader seems stalled for minutes. */
const TIMES_UNSEEN = 10

interface WritingSocket extends Socket {
  readonly _handle?: {
    /** Bytes that the kernel has not accepted yet. */
    readonly writeQueueSize: number
    readonly fd?: number
  } | null
}

interface Stall {
  readonly since: number
  readonly written: number
  readonly queued: number
  /** Bytes in the kernel that the peer has not acknowledged; undefined if unknown. */
  readonly held: number | undefined
}

type ReadHeld = (sockets: readonly WritingSocket[]) => Promise<ReadonlyMap<Socket, number>>

/**
 * Closes connections whose client reads nothing of a waiting answer for `afterMs`.
 * A socket timeout does not serve here: bytes that the client sends would restart it.
 * @returns whether any connection has unread bytes
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

function stallOf(socket: WritingSocket, held: number | undefined, before: Stall | null, now: number): Stall | null {
  if (socket.writableLength === 0) return null
  const [written, queued] = [socket.bytesWritten, socket._handle?.writeQueueSize ?? 0]
  const isSame = before?.written === written && before.queued === queued && before.held === held
  return isSame ? before : { since: now, written, queued, held }
}

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

function inodeOf({ _handle }: WritingSocket): string | null {
  try {
    return INODE.exec(readlinkSync(`/proc/self/fd/${_handle?.fd}`))?.[1] ?? null
  } catch {
    return null
  }
}
