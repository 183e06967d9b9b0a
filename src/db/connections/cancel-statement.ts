import { type ClientBase, Connection } from 'pg'

const TIMEOUT_MS = 2_000

/** What the driver knows of a connection; its types do not name it. */
interface Cancellable {
  readonly host: string
  readonly port: number
  readonly ssl: boolean | object
  readonly processID: number
  readonly secretKey: number
}

/** The driver's own, as far as a request to cancel needs it; its types do not name it either. */
interface CancelConnection {
  readonly stream: { destroy(): void }
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  on(event: 'connect' | 'sslconnect' | 'error' | 'end', listener: () => void): this
}

/**
 * Has the server cancel what a connection runs, as libpq does it: over a socket of its own, which counts as no connection, needs none to
 * be free, and reaches the right server process through a pooler. Resolves once the server has taken notice, or has not within 2 s.
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
