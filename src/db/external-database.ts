import { type Client, escapeIdentifier } from 'pg'
import { isDatabaseDown } from '../errors/outages.ts'
import { ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'
import {
  type DriverUrl,
  postgresUrl,
  type SslDefaults,
  serverUrls,
  type UrlVariable,
  warnOfAuthorities,
  warnOfUnverified,
  withOfferedTls,
  withSslDefaults,
} from './connections/postgres-url.ts'
import { FOR_READING, Servers } from './connections/servers.ts'
import { SessionClient } from './connections/session-client.ts'
import type { Route } from './database.ts'

const TIMEOUT_MS = 10_000
const INSUFFICIENT_PRIVILEGE = '42501'
const ENCODING = 'UTF8'

const asPattern = (name: string): string => `regexp_replace(${name}, '(\\W)', '\\\\\\1', 'g')`
const ON_PATH = `
  select n.nspname from pg_namespace n, (select current_setting('search_path') as path) s
  where s.path ~ ('(^|,)\\s*"' || ${asPattern(`replace(n.nspname, '"', '""')`)} || '"\\s*(,|$)')
    or (n.nspname = lower(n.nspname) and s.path ~* ('(^|,)\\s*' || ${asPattern('n.nspname')} || '\\s*(,|$)'))
    or (n.nspname = current_user and position('$user' in s.path) > 0)
  order by position(n.nspname in lower(s.path))`

const LEDGER = `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = '_prisma_migrations' and n.nspname = current_schema()`
const QUEUE = `select n.oid from pg_namespace n where n.nspname = 'pgboss'`

const TABLES = `
  select c.oid, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'S') and (n.nspname = 'pgboss' or (n.nspname = current_schema() and c.relowner =
    (select l.relowner from pg_class l where l.relname = '_prisma_migrations' and l.relnamespace = n.oid)))`

const MISSES = ['select', 'insert', 'update', 'delete']
  .map((privilege) => `not has_table_privilege(t.oid, '${privilege}')`)
  .join(' or ')

const PRIVILEGES = `
  current_user as role, current_database() as database, coalesce(current_schema(), (${ON_PATH} limit 1), 'public') as schema,
  not exists (${LEDGER}) as fresh,
  has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreateTables",
  exists (${QUEUE}) as "hasQueue",
  coalesce((select has_schema_privilege(q.oid, 'usage') from (${QUEUE}) q), true) as "mayUseQueue",
  not exists (select from (${TABLES}) t where case when t.relkind = 'S' then not has_sequence_privilege(t.oid, 'usage')
    else ${MISSES} end) as "mayWrite"`

const FACTS = `
select pg_backend_pid() as pid, current_setting('server_encoding') as encoding,
  pg_postmaster_start_time()::text || ' ' || (select oid from pg_database where datname = current_database()) as identity,
  current_setting('transaction_read_only') = 'on' as "readOnly", pg_is_in_recovery() as standby,
  current_setting('search_path') as "searchPath", current_schema() is null and not exists (${ON_PATH}) as "isPathEmpty",
  to_regnamespace('public') is not null as "hasPublic", ${PRIVILEGES}`

const NOT_LET_IN = /^(28[0-9A-Z]{3}|3D000)$/
const UNTRUSTED = /^(ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_|ERR_SSL_)/
const DRIVER_MESSAGES: ReadonlySet<string> = new Set([
  'The server does not support SSL connections',
  'Query read timeout',
])

const POLLS = 5
/** PgBouncer's answer to `begin` in statement mode. */
const PROTOCOL_VIOLATION = '08P01'
const PID = 'select pg_backend_pid() as pid'

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
  readonly readDatabaseUrl: string | null
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

interface Privileges {
  readonly role: string
  readonly database: string
  readonly schema: string
  readonly fresh: boolean
  readonly mayCreateSchemas: boolean
  readonly mayCreateTables: boolean
  readonly hasQueue: boolean
  readonly mayUseQueue: boolean
  readonly mayWrite: boolean
}

/**
 * Checks the database of DATABASE_URL without changing it.
 * @returns the route to it
 * @throws ServiceError UNAVAILABLE, one sentence for the operator
 */
export async function openExternalDatabase(settings: ExternalSettings, log: Log): Promise<Route> {
  const route = await openPrimary(settings, log)
  const { readDatabaseUrl } = settings
  if (readDatabaseUrl === null) return route
  // A start does not wait for a standby that is away.
  const readers = async () =>
    new Servers(
      (await driverUrls('READ_DATABASE_URL', readDatabaseUrl, settings)).map(({ url }) => url),
      FOR_READING,
    )
  return { ...route, readers }
}

async function openPrimary(settings: ExternalSettings, log: Log): Promise<Route> {
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
    if (defect !== null) throw unusable(place, defect)
    return {
      isMultiplexed: await isMultiplexed(client, facts.pid, () => connect(url, place)),
      identity: facts.identity,
    }
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

/** Explains to the operator why the database is unusable; returns any other error unchanged. */
export function explainUnusable(error: unknown, url: string, variable = 'DATABASE_URL'): unknown {
  if (!isDatabaseDown(error) && !isRefused(error)) return error
  const { host, pathname } = new URL(url)
  const message = `Check ${variable}: the database ${host}${pathname} cannot be used (${reasonOf(error)}).`
  return new ServiceError('UNAVAILABLE', message, { cause: error })
}

function isRefused(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  return NOT_LET_IN.test(code) || UNTRUSTED.test(code) || (error instanceof Error && DRIVER_MESSAGES.has(error.message))
}

function reasonOf(error: unknown): string {
  const { message, errors, code } = error as {
    message?: string
    errors?: readonly { message: string }[]
    code?: string
  }
  return message || errors?.[0]?.message || code || 'it does not answer'
}

/** Returns the GRANT statements that the owner must run. */
function missingGrants(privileges: Privileges): string[] {
  const { fresh, mayCreateSchemas, mayCreateTables, hasQueue, mayUseQueue, mayWrite } = privileges
  const [role, database, schema] = [privileges.role, privileges.database, privileges.schema].map(escapeIdentifier)
  const schemas = hasQueue ? `${schema}, pgboss` : schema
  return [
    ...(hasQueue || mayCreateSchemas ? [] : [`GRANT CREATE ON DATABASE ${database} TO ${role}`]),
    ...(!fresh || mayCreateTables ? [] : [`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`]),
    ...(mayUseQueue ? [] : [`GRANT USAGE ON SCHEMA pgboss TO ${role}`]),
    ...(mayWrite
      ? []
      : [
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schemas} TO ${role}`,
          `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schemas} TO ${role}`,
        ]),
  ]
}

/**
 * Tells if a pooler changes the server connection with each transaction, which loses locks and channels. A second client holds a
 * transaction open while this compares process numbers.
 * @param pid PostgreSQL process of `client` just before
 */
async function isMultiplexed(client: Client, pid: number, connect: () => Promise<Client>): Promise<boolean> {
  const other = await connect()
  try {
    await other.query('begin')
    if ((await pidOf(other)) === pid) return true
    for (let poll = 0; poll < POLLS; poll++) if ((await pidOf(client)) !== pid) return true
    return false
  } catch (error) {
    if (errorCode(error) === PROTOCOL_VIOLATION) return true
    throw error
  } finally {
    await other.end()
  }
}

const pidOf = async (client: Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>(PID)).rows[0]?.pid
