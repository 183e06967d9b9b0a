import type { Client, ClientBase } from 'pg'

/** What PostgreSQL calls a write where there are none. */
const READ_ONLY_SQL_TRANSACTION = '25006'
/** Sent to every client that connects, and again when they change: from PostgreSQL 14 on. */
const PARAMETERS: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only'])
const TAKES_NO_WRITES = `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`

/** A server answers, and takes no writes: a standby that is not promoted yet, or a writer that was demoted. */
export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer'
  readonly code = READ_ONLY_SQL_TRANSACTION

  constructor() {
    super('the database takes no writes')
  }
}

/** What the driver emits of its protocol; its types do not name it. */
interface Protocol {
  on(event: 'parameterStatus', listener: (message: { parameterName: string; parameterValue: string }) => void): void
  on(event: 'errorMessage', listener: (error: { code?: string }) => void): void
}

const protocolOf = (client: ClientBase): Protocol => (client as unknown as { connection: Protocol }).connection

/** What a server says of itself, kept up to date: to be called before the client connects. */
export function watchParameters(client: ClientBase): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  protocolOf(client).on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (PARAMETERS.has(parameterName)) parameters.set(parameterName, parameterValue)
  })
  return parameters
}

/** Calls whenever a statement of the client is refused because the server takes no writes. */
export function watchRefusedWrites(client: ClientBase, onRefused: () => void): void {
  protocolOf(client).on('errorMessage', ({ code }) => {
    if (code === READ_ONLY_SQL_TRANSACTION) onRefused()
  })
}

/**
 * Whether the server of a new connection takes no writes. It is asked only where it said so: a pooler may repeat what was true of the
 * server before.
 */
export async function isReadOnly(
  client: Pick<Client, 'query'>,
  parameters: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (![...parameters.values()].includes('on')) return false
  return asksReadOnly(client)
}

/** Asks the server, with a statement. */
export async function asksReadOnly(client: Pick<Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ readOnly: boolean }>(TAKES_NO_WRITES)
  return rows[0]?.readOnly === true
}
