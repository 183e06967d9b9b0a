import type { ClientBase } from 'pg'

const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`

/** Lifts the role's time limits, which are meant for requests. */
export async function liftTimeLimits(client: Pick<ClientBase, 'query'>): Promise<void> {
  await client.query(
    `set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0; ${NO_TRANSACTION_TIMEOUT}`,
  )
}
