import type { Client, ClientBase } from 'pg'

/** What the driver knows of a connection; its types do not name it. */
interface Wire {
  readonly processID: number | null
  /** false while a statement runs. */
  readonly readyForQuery: boolean | undefined
  /** true from `end()` on. */
  readonly _ending: boolean
  readonly connection: {
    on(event: 'errorMessage', listener: (error: ServerError) => void): unknown
    once(event: 'readyForQuery' | 'end', listener: () => void): unknown
    off(event: 'readyForQuery' | 'end', listener: () => void): unknown
    readonly stream: {
      readonly bytesRead: number
      readonly bytesWritten: number
      /** Bytes that have come, and that nothing has read. */
      readonly readableLength: number
      destroy(error: Error): void
    }
  }
}

/** As the server has sent it. */
type ServerError = Error & { readonly severity?: string; readonly code?: string }

const FATAL: ReadonlySet<string | undefined> = new Set(['FATAL', 'PANIC'])
/** The same where the server says the severity in another language. */
const FATAL_CODE = /^(57P0[1-5]|25P0[34])$/

/** For a server that is not heard of again after the error of a statement. */
const LONGEST_END_MS = 1_000

const wireOf = (client: ClientBase): Wire => client as unknown as Wire

/** The number of the server's process as the server, or a pooler in front of it, has said on connect. */
export const processIdOf = (client: Client): number | null => wireOf(client).processID

/**
 * Bytes sent and received so far while something is waited for, the connection's end included; null: nothing is to come, or what has come is not
 * read yet, as where the reader of a COPY is slow.
 */
export function trafficOf(client: Client): number | null {
  const { readyForQuery, _ending: isEnding, connection } = wireOf(client)
  const isWaiting = (readyForQuery === false || isEnding) && connection.stream.readableLength === 0
  return isWaiting ? connection.stream.bytesRead + connection.stream.bytesWritten : null
}

/** Ends a connection that is not answered any more: what runs on it fails. */
export function cutOff(client: Client): void {
  wireOf(client).connection.stream.destroy(new Error('Connection terminated: the server does not answer any more'))
}

/**
 * Calls back once, with the reason, when a connection is lost. The driver itself says nothing of one that the server has ended with the error of a
 * statement, and that its user ends at once for that.
 */
export function onceLost(client: ClientBase, lost: (error: Error) => void): void {
  let isLost = false
  const report = (error: Error): void => {
    if (!isLost) lost(error)
    isLost = true
  }
  client.once('error', report)
  wireOf(client).connection.on('errorMessage', (error) => {
    if (FATAL.has(error.severity) || FATAL_CODE.test(error.code ?? '')) report(error)
  })
}

/** Calls back once a statement that has just failed is over: the server says that it fails before it lets go of the locks that it took. */
export function onceOver(client: ClientBase, over: () => void): void {
  const { connection } = wireOf(client)
  const end = (): void => {
    clearTimeout(timer)
    connection.off('readyForQuery', end)
    connection.off('end', end)
    over()
  }
  const timer = setTimeout(end, LONGEST_END_MS).unref()
  connection.once('readyForQuery', end)
  connection.once('end', end)
}
