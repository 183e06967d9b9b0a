import { escapeIdentifier } from 'pg'

/** What the role of DATABASE_URL may do, as far as the service needs it. */
export interface Privileges {
  readonly role: string
  readonly database: string
  /** Where the service's own tables are, or will be. */
  readonly schema: string
  /** No migration has run. */
  readonly fresh: boolean
  readonly mayCreateSchemas: boolean
  readonly mayCreateTables: boolean
  /** pg-boss makes its schema itself, once. */
  readonly hasQueue: boolean
  readonly mayUseQueue: boolean
  readonly mayWrite: boolean
}

/** Tables of pg-boss, and those of the role that owns the ledger of migrations: other programs may have theirs in the same schema. */
const TABLES = `
  select c.oid, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'S') and (n.nspname = 'pgboss' or (n.nspname = current_schema() and c.relowner =
    (select l.relowner from pg_class l where l.relname = '_prisma_migrations' and l.relnamespace = n.oid)))`
const LEDGER = `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = '_prisma_migrations' and n.nspname = current_schema()`
const QUEUE = `select n.oid from pg_namespace n where n.nspname = 'pgboss'`
const MISSES = ['select', 'insert', 'update', 'delete']
  .map((privilege) => `not has_table_privilege(t.oid, '${privilege}')`)
  .join(' or ')

/** A schema's name as a pattern: what is no letter, digit or underscore stands for itself. */
const asPattern = (name: string): string => `regexp_replace(${name}, '(\\W)', '\\\\\\1', 'g')`
/** The schemas that a connection's search_path names, whether or not the role may use them, those that it names first at the top. */
export const ON_PATH = `
  select n.nspname from pg_namespace n, (select current_setting('search_path') as path) s
  where s.path ~ ('(^|,)\\s*"' || ${asPattern(`replace(n.nspname, '"', '""')`)} || '"\\s*(,|$)')
    or (n.nspname = lower(n.nspname) and s.path ~* ('(^|,)\\s*' || ${asPattern('n.nspname')} || '\\s*(,|$)'))
    or (n.nspname = current_user and position('$user' in s.path) > 0)
  order by position(n.nspname in lower(s.path))`

/** The columns of Privileges, from nothing. */
export const PRIVILEGES = `
  current_user as role, current_database() as database, coalesce(current_schema(), (${ON_PATH} limit 1), 'public') as schema,
  not exists (${LEDGER}) as fresh,
  has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreateTables",
  exists (${QUEUE}) as "hasQueue",
  coalesce((select has_schema_privilege(q.oid, 'usage') from (${QUEUE}) q), true) as "mayUseQueue",
  not exists (select from (${TABLES}) t where case when t.relkind = 'S' then not has_sequence_privilege(t.oid, 'usage')
    else ${MISSES} end) as "mayWrite"`

/** The statements that give the role what it lacks, for the database's owner to run; none where it lacks nothing. */
export function missingGrants(privileges: Privileges): string[] {
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
