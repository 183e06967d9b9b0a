import { type Client, escapeIdentifier } from 'pg'
import { ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'
import { withOfferedTls } from './connections/offered-tls.ts'
import {
  type DriverUrl,
  postgresUrl,
  type SslDefaults,
  type UrlVariable,
  withSslDefaults,
} from './connections/postgres-url.ts'
import { serverUrls } from './connections/server-urls.ts'
import { Servers } from './connections/servers.ts'
import { SessionClient } from './connections/session-client.ts'
import { warnOfAuthorities, warnOfUnverified } from './connections/weak-tls.ts'
import type { Route } from './database.ts'
import { explainUnusable } from './explain-unusable.ts'
import { missingGrants, ON_PATH, PRIVILEGES, type Privileges } from './missing-grants.ts'
import { isMultiplexed } from './transaction-pooler.ts'

const TIMEOUT_MS = 10_000
const INSUFFICIENT_PRIVILEGE = '42501'
const ENCODING = 'UTF8'

const FACTS = `
select pg_backend_pid() as pid, current_setting('server_encoding') as encoding,
  pg_postmaster_start_time()::text || ' ' || (select oid from pg_database where datname = current_database()) as identity,
  current_setting('transaction_read_only') = 'on' as "readOnly", pg_is_in_recovery() as standby,
  current_setting('search_path') as "searchPath", current_schema() is null and not exists (${ON_PATH}) as "isPathEmpty",
  to_regnamespace('public') is not null as "hasPublic", ${PRIVILEGES}`

interface Facts extends Privileges {
  readonly pid: number
  readonly identity: string
  readonly encoding: string
  readonly readOnly: boolean
  readonly standby: boolean
  readonly searchPath: string
  readonly isPathEmpty: boolean
  readonly hasPublic: boolean
}

interface ExternalSettings extends SslDefaults {
  readonly databaseUrl: string
  readonly directDatabaseUrl: string | null
  /** Null: unless behind a transaction pooler. */
  readonly databasePrepare: boolean | null
}

interface Place {
  readonly variable: UrlVariable
  readonly url: string
}

interface Inspected {
  readonly servers: Servers
  readonly isMultiplexed: boolean
  readonly identity: string
}

/**
 * Checks the database of DATABASE_URL without changing it.
 * @returns the route to it
 * @throws ServiceError UNAVAILABLE, one sentence for the operator
 */
export async function openExternalDatabase(settings: ExternalSettings, log: Log): Promise<Route> {
  const { databaseUrl, directDatabaseUrl } = settings
  warnOfAuthorities([databaseUrl, directDatabaseUrl ?? []].flat().flatMap(serverUrls), settings, log)
  const pooledUrls = await driverUrls('DATABASE_URL', databaseUrl, settings)
  const directUrls =
    directDatabaseUrl === null ? null : await driverUrls('DIRECT_DATABASE_URL', directDatabaseUrl, settings)
  warnOfUnverified([...pooledUrls, ...(directUrls ?? [])], log)
  const pooled = await inspect('DATABASE_URL', pooledUrls)
  const areNamed = settings.databasePrepare ?? !pooled.isMultiplexed
  const keepsSettings = !pooled.isMultiplexed
  const place = { variable: 'DATABASE_URL', url: pooled.servers.preferred } as const
  if (directUrls === null) {
    if (pooled.isMultiplexed) throw unusable(place, POOLER)
    return { servers: pooled.servers, direct: pooled.servers, keepsSettings, areNamed }
  }
  const direct = await inspect('DIRECT_DATABASE_URL', directUrls)
  const directPlace = { variable: 'DIRECT_DATABASE_URL', url: direct.servers.preferred } as const
  if (direct.isMultiplexed) throw unusable(directPlace, 'is reached through a pooler in transaction mode as well')
  if (direct.identity !== pooled.identity) throw unusable(directPlace, 'is another one than that of DATABASE_URL')
  return { servers: pooled.servers, direct: direct.servers, keepsSettings, areNamed }
}

async function driverUrls(variable: UrlVariable, text: string, defaults: SslDefaults): Promise<DriverUrl[]> {
  const urls = serverUrls(text).map((url) => withSslDefaults(url, defaults))
  return (await Promise.all(urls.map(withOfferedTls))).map((url) => postgresUrl(url, variable))
}

async function inspect(variable: UrlVariable, urls: readonly DriverUrl[]): Promise<Inspected> {
  const servers = new Servers(urls.map(({ url }) => url))
  for (let left = servers.count; ; left--) {
    const place = { variable, url: urls[servers.count - left]!.url }
    try {
      return { servers, ...(await inspectServer(servers.preferred, place)) }
    } catch (error) {
      servers.reject(servers.preferred)
      if (left === 1) throw explainUnusable(error, place.url, place.variable)
    }
  }
}

async function inspectServer(url: string, place: Place): Promise<Omit<Inspected, 'servers'>> {
  const client = await connect(url, place)
  try {
    const { rows } = await client.query<Facts>(FACTS)
    const facts = rows[0] as Facts
    const defect = defectOf(facts)
    // A pooler reports other process numbers than PostgreSQL.
    const isPooled = (client as unknown as { processID: number }).processID !== facts.pid
    const multiplexed = isPooled && (await isMultiplexed(client, facts.pid, () => connect(url, place)))
    if (defect !== null) throw unusable(place, defect)
    return { isMultiplexed: multiplexed, identity: facts.identity }
  } finally {
    await client.end()
  }
}

const POOLER =
  'is reached through a pooler in transaction mode, which loses locks and notifications: set DIRECT_DATABASE_URL to PostgreSQL itself, or the pooler to session mode (PgBouncer: pool_mode = session)'

function defectOf(facts: Facts): string | null {
  if (facts.encoding !== ENCODING) {
    return `is encoded in ${facts.encoding}, which cannot hold every text: create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`
  }
  if (facts.standby) return 'is on a standby server, which takes no writes: connect to the primary'
  if (facts.readOnly) {
    return `is read-only for the role ${facts.role}: ALTER ROLE "${facts.role}" SET default_transaction_read_only = off`
  }
  if (facts.isPathEmpty) {
    const create = facts.hasPublic ? '' : 'CREATE SCHEMA public; '
    const set = `${create}ALTER ROLE ${escapeIdentifier(facts.role)} IN DATABASE ${escapeIdentifier(facts.database)} SET search_path = public`
    return `has none of the schemas in the search_path of its connection (${facts.searchPath}): ${set}, unless the URL sets one in its options`
  }
  const grants = missingGrants(facts)
  return grants.length === 0 ? null : lacking(facts.role, grants)
}

const lacking = (role: string, grants: readonly string[]): string =>
  `lacks privileges for the role ${role}: its owner has to run ${grants.join('; ')}`

async function connect(connectionString: string, place: Place): Promise<Client> {
  const client = new SessionClient({
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
    throw unusable(place, lacking(role, [`GRANT CONNECT ON DATABASE "${name}" TO "${role}"`]))
  }
  return client
}

function unusable({ variable, url }: Place, why: string): ServiceError {
  const { host, pathname } = new URL(url)
  return new ServiceError('UNAVAILABLE', `Check ${variable}: the database ${host}${pathname} ${why}.`)
}
