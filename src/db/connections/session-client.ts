import type { Socket } from 'node:net'
import { Client, type ClientConfig, Connection } from 'pg'

/** Startup parameters, because Prisma, the driver and the migrations rely on them. Poolers accept all three. */
const SESSION = { TimeZone: 'UTC', DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' } as const
const CANCEL_TIMEOUT_MS = 2_000

/** Members of pg's Client that its documents do not name. */
interface Undocumented {
  readonly processID: number
  readonly secretKey: number
  getStartupConf(): Readonly<Record<string, string>>
}

/** Members of pg's Connection that its types do not name. */
interface CancelConnection {
  readonly stream: { destroy(): void }
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  on(event: 'connect' | 'sslconnect' | 'error' | 'end', listener: () => void): this
}

/** A `SessionClient` with the overloads of pg's `query`. */
export type Session = Client & Pick<SessionClient, 'serverProcess' | 'traffic' | 'cutOff'>

const UndocumentedClient = Client as unknown as new (config?: ClientConfig) => Client & Undocumented

/** A client of pg that knows whether the server owes it an answer. Only this file uses pg beyond its documents. */
export class SessionClient extends UndocumentedClient {
  /** PostgreSQL's process; null: unknown, or another one for each transaction. */
  serverProcess: number | null = null
  #isWaiting = false

  constructor(config?: ClientConfig) {
    super(config)
    this.on('drain', () => {
      this.#isWaiting = false
    })
  }

  override getStartupConf(): Readonly<Record<string, string>> {
    return { ...super.getStartupConf(), ...SESSION }
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads it a dozen times, and all of them end here
  override query(...args: any[]): any {
    this.#isWaiting = true
    return (super.query as (...args: unknown[]) => unknown).apply(this, args)
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#isWaiting = true
    if (callback === undefined) return super.end()
    super.end(callback)
    return undefined
  }

  /** Bytes sent and received while the server owes an answer; null: it owes none, or received bytes are unread. */
  get traffic(): number | null {
    const { bytesRead, bytesWritten, readableLength } = this.connection.stream as Socket
    return this.#isWaiting && readableLength === 0 ? bytesRead + bytesWritten : null
  }

  cutOff(): void {
    this.connection.stream.destroy(new Error('Connection terminated: the server does not answer any more'))
  }

  /**
   * Sends a cancel request over its own socket, as libpq does. It needs no free connection and works through poolers. Resolves
   * within 2 s.
   */
  cancelStatement(): Promise<void> {
    const { host, port, ssl, processID, secretKey } = this
    const connection = new Connection({ ssl } as never) as unknown as CancelConnection
    const send = () => connection.cancel(processID, secretKey)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => connection.stream.destroy(), CANCEL_TIMEOUT_MS)
    connection
      .on('connect', () => (ssl ? connection.requestSsl() : send()))
      .on('sslconnect', send)
      .on('error', () => connection.stream.destroy())
      .on('end', () => {
        clearTimeout(timer)
        resolve()
      })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
    return promise
  }
}
