import type { Client, ClientBase } from 'pg'

const READ_ONLY_SQL_TRANSACTION = '25006'
/** PostgreSQL 14 and later report these on connect and on change. */
const PARAMETERS: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only'])
const TAKES_NO_WRITES = `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`

export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer'
  readonly code = READ_ONLY_SQL_TRANSACTION

  constructor() {
    super('the database takes no writes')
  }
}

interface Protocol {
  on(event: 'parameterStatus', listener: (message: { parameterName: string; parameterValue: string }) => void): void
  on(event: 'errorMessage', listener: (error: { code?: string }) => void): void
}

const protocolOf = (client: ClientBase): Protocol => (client as unknown as { connection: Protocol }).connection

/** Tracks the server's parameters; call it before the client connects. */
export function watchParameters(client: ClientBase): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  protocolOf(client).on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (PARAMETERS.has(parameterName)) parameters.set(parameterName, parameterValue)
  })
  return parameters
}

export function watchRefusedWrites(client: ClientBase, onRefused: () => void): void {
  protocolOf(client).on('errorMessage', ({ code }) => {
    if (code === READ_ONLY_SQL_TRANSACTION) onRefused()
  })
}

/** Queries the server only if a parameter says so, because a pooler may repeat another server's parameters. */
export async function isReadOnly(
  client: Pick<Client, 'query'>,
  parameters: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (![...parameters.values()].includes('on')) return false
  return asksReadOnly(client)
}

export async function asksReadOnly(client: Pick<Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ readOnly: boolean }>(TAKES_NO_WRITES)
  return rows[0]?.readOnly === true
}
