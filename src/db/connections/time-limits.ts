import type { ClientBase } from 'pg'

/** PostgreSQL has it since version 17. */
const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`

/** A role's limits of time are meant for requests: from here on the session takes as long as there are rows. */
export async function liftTimeLimits(client: Pick<ClientBase, 'query'>): Promise<void> {
  await client.query(
    `set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0; ${NO_TRANSACTION_TIMEOUT}`,
  )
}
