import { Client } from 'pg'
import { ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'
import { explainUnusable } from './explain-unusable.ts'
import { missingGrants, PRIVILEGES, type Privileges } from './missing-grants.ts'
import { postgresUrl } from './postgres-url.ts'
import { isMultiplexed } from './transaction-pooler.ts'

/** For a connection, and for each answer: a pooler that has no connection left keeps its clients waiting. */
const TIMEOUT_MS = 10_000
const INSUFFICIENT_PRIVILEGE = '42501'
/** PostgreSQL's own name of the one encoding that holds every text. */
const ENCODING = 'UTF8'

const FACTS = `
select pg_backend_pid() as pid, current_setting('server_encoding') as encoding,
  current_setting('transaction_read_only') = 'on' as "readOnly", pg_is_in_recovery() as standby, ${PRIVILEGES}`

interface Facts extends Privileges {
  readonly pid: number
  readonly encoding: string
  readonly readOnly: boolean
  readonly standby: boolean
}

/**
 * Checks the database of DATABASE_URL before anything in it is created or locked, over connections of its own. Returns the URL as the
 * driver has to read it.
 * @throws ServiceError UNAVAILABLE, one sentence on what the operator has to change
 */
export async function openExternalDatabase(databaseUrl: string, log: Log): Promise<string> {
  const url = postgresUrl(databaseUrl, log)
  try {
    const client = await connect(url)
    try {
      await inspect(client, url, databaseUrl)
    } finally {
      await client.end()
    }
    return url
  } catch (error) {
    throw explainUnusable(error, databaseUrl)
  }
}

async function inspect(client: Client, url: string, databaseUrl: string): Promise<void> {
  const { rows } = await client.query<Facts>(FACTS)
  const facts = rows[0] as Facts
  // A pooler gives out keys of its own: only where the two differ can there be one.
  const isPooled = (client as unknown as { processID: number }).processID !== facts.pid
  if (isPooled && (await isMultiplexed(client, facts.pid, () => connect(url)))) throw unusable(databaseUrl, POOLER)
  const defect = defectOf(facts)
  if (defect !== null) throw unusable(databaseUrl, defect)
}

const POOLER =
  'is reached through a pooler in transaction mode, which loses locks and notifications: set the pooler to session mode (PgBouncer: pool_mode = session), or connect to PostgreSQL itself'

function defectOf(facts: Facts): string | null {
  if (facts.encoding !== ENCODING) {
    return `is encoded in ${facts.encoding}, which cannot hold every text: create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`
  }
  if (facts.standby) return 'is on a standby server, which takes no writes: connect to the primary'
  if (facts.readOnly) {
    return `is read-only for the role ${facts.role}: ALTER ROLE "${facts.role}" SET default_transaction_read_only = off`
  }
  const grants = missingGrants(facts)
  return grants.length === 0 ? null : lacking(facts.role, grants)
}

const lacking = (role: string, grants: readonly string[]): string =>
  `lacks privileges for the role ${role}: its owner has to run ${grants.join('; ')}`

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: 'sonant check',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    if (errorCode(error) !== INSUFFICIENT_PRIVILEGE) throw error
    const [role, name] = [client.user ?? '', client.database ?? '']
    throw unusable(connectionString, lacking(role, [`GRANT CONNECT ON DATABASE "${name}" TO "${role}"`]))
  }
  return client
}

function unusable(databaseUrl: string, why: string): ServiceError {
  const { host, pathname } = new URL(databaseUrl)
  return new ServiceError('UNAVAILABLE', `Check DATABASE_URL: the database ${host}${pathname} ${why}.`)
}
