import { type ClientBase, Connection } from 'pg'

const TIMEOUT_MS = 2_000

interface Cancellable {
  readonly host: string
  readonly port: number
  readonly ssl: boolean | object
  readonly processID: number
  readonly secretKey: number
}

interface CancelConnection {
  readonly stream: { destroy(): void }
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  on(event: 'connect' | 'sslconnect' | 'error' | 'end', listener: () => void): this
}

/**
 * Sends a cancel request over its own socket, as libpq does. It needs no free connection and works through poolers. Resolves within
 * 2 s.
 */
export function cancelStatement(client: ClientBase): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as Cancellable
  const connection = new Connection({ ssl } as never) as unknown as CancelConnection
  const send = () => connection.cancel(processID, secretKey)
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => connection.stream.destroy(), TIMEOUT_MS)
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
