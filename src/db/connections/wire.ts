import type { Client, ClientBase } from 'pg'

/** Private fields of pg's Client. */
interface Wire {
  readonly processID: number | null
  readonly readyForQuery: boolean | undefined
  readonly _ending: boolean
  readonly connection: {
    on(event: 'errorMessage', listener: (error: ServerError) => void): unknown
    once(event: 'readyForQuery' | 'end', listener: () => void): unknown
    off(event: 'readyForQuery' | 'end', listener: () => void): unknown
    readonly stream: {
      readonly bytesRead: number
      readonly bytesWritten: number
      readonly readableLength: number
      destroy(error: Error): void
    }
  }
}

type ServerError = Error & { readonly severity?: string; readonly code?: string }

const FATAL: ReadonlySet<string | undefined> = new Set(['FATAL', 'PANIC'])
/** Recognizes fatal errors with a translated severity. */
const FATAL_CODE = /^(57P0[1-5]|25P0[34])$/

const LONGEST_END_MS = 1_000

const wireOf = (client: ClientBase): Wire => client as unknown as Wire

export const processIdOf = (client: Client): number | null => wireOf(client).processID

/** Bytes sent and received while a response is awaited; null: none is awaited, or received bytes are unread. */
export function trafficOf(client: Client): number | null {
  const { readyForQuery, _ending: isEnding, connection } = wireOf(client)
  const isWaiting = (readyForQuery === false || isEnding) && connection.stream.readableLength === 0
  return isWaiting ? connection.stream.bytesRead + connection.stream.bytesWritten : null
}

export function cutOff(client: Client): void {
  wireOf(client).connection.stream.destroy(new Error('Connection terminated: the server does not answer any more'))
}

/** Reports the first loss of a connection, including fatal errors that pg attributes to a statement. */
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

/** Calls back once a failed statement has ended, because PostgreSQL reports the error before it releases the locks. */
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
