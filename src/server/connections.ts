import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'

const IDLE_EVERY_MS = 100
export const STALLED_READER_MS = 60_000

const POLLS = 6

/** Line of /proc/net/tcp: number, both addresses, state, `tx_queue:rx_queue`, timer, retransmits, user, timeout, inode. */
const CONNECTION = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+) /gm
const INODE = /^socket:\[(\d+)\]$/

/** Kernel buffers hold megabytes: without the kernel's figures a slow reader seems stalled for minutes. */
const TIMES_UNSEEN = 10

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

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
 * Ends connections so that no client misreads a partial answer.
 * HTTP/1.0 ends a body with the connection, so the server resets a broken answer.
 * If an answer precedes the end of its request, the server reads the rest: closing would lose the answer.
 */
export function mendConnectionEnds(server: Server): void {
  const exchanges = new WeakMap<Socket, Exchange>()
  const note = (request: IncomingMessage, response: ServerResponse) =>
    exchanges.set(request.socket, { request, response })
  server.on('request', note).on('checkExpectation', note)
  server.on('connection', (socket) => {
    const [destroy, destroySoon] = [socket.destroy, socket.destroySoon]
    let isReset = false
    socket.destroy = (error) => {
      if (isReset || !isCutShort(exchanges.get(socket))) return destroy.call(socket, error)
      isReset = true
      return socket.resetAndDestroy()
    }
    socket.destroySoon = () => {
      const request = exchanges.get(socket)?.request
      if (request === undefined || request.complete || !socket.readable) return destroySoon.call(socket)
      socket.end()
      request.once('end', () => destroySoon.call(socket)).resume()
    }
  })
}

const isCutShort = (exchange: Exchange | undefined): boolean =>
  exchange !== undefined &&
  exchange.request.httpVersionMinor === 0 &&
  exchange.response.headersSent &&
  !exchange.response.writableFinished

/** True for a request that follows the connection's last answer. The server must not execute it. */
export const isBehindLast = ({ socket }: IncomingMessage): boolean => socket.writableEnded

/**
 * When the server closes, ends idle connections repeatedly and all connections after the grace time.
 * @param isSending whether any connection has unsent bytes: Node.js would treat it as idle and drop them
 */
export function hangUpWhileClosing(app: FastifyInstance, graceMs: number, isSending: () => boolean): void {
  const { server } = app
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (!isSending()) closeIdle()
  }
  app.addHook('preClose', async () => {
    const grace = setTimeout(() => server.closeAllConnections(), graceMs)
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS)
    server.once('close', () => {
      clearTimeout(grace)
      clearInterval(idle)
    })
  })
}

/**
 * Breaks off a stream whose length differs from its Content-Length.
 * Otherwise a client takes bytes of the next answer for the rest of this one.
 */
export function breakMiscountedBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const length = payload instanceof Readable ? reply.getHeader('content-length') : undefined
    if (length === undefined || request.method === 'HEAD') return done(null, payload)
    done(null, counted(payload as Readable, Number(length)))
  })
}

function counted(source: Readable, length: number): Readable {
  let left = length
  const miscounted = () => new Error(`a body of ${length} bytes has ${length - left}`)
  const through = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      left -= chunk.length
      if (left < 0) done(miscounted())
      else done(null, chunk)
    },
    flush: (done) => done(left === 0 ? null : miscounted()),
  })
  source.once('error', (error) => through.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) through.destroy(miscounted())
  })
  through.once('close', () => source.destroy())
  return source.pipe(through)
}

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
