import { escapeIdentifier } from 'pg'

export interface Privileges {
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

const asPattern = (name: string): string => `regexp_replace(${name}, '(\\W)', '\\\\\\1', 'g')`
export const ON_PATH = `
  select n.nspname from pg_namespace n, (select current_setting('search_path') as path) s
  where s.path ~ ('(^|,)\\s*"' || ${asPattern(`replace(n.nspname, '"', '""')`)} || '"\\s*(,|$)')
    or (n.nspname = lower(n.nspname) and s.path ~* ('(^|,)\\s*' || ${asPattern('n.nspname')} || '\\s*(,|$)'))
    or (n.nspname = current_user and position('$user' in s.path) > 0)
  order by position(n.nspname in lower(s.path))`

export const PRIVILEGES = `
  current_user as role, current_database() as database, coalesce(current_schema(), (${ON_PATH} limit 1), 'public') as schema,
  not exists (${LEDGER}) as fresh,
  has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreateTables",
  exists (${QUEUE}) as "hasQueue",
  coalesce((select has_schema_privilege(q.oid, 'usage') from (${QUEUE}) q), true) as "mayUseQueue",
  not exists (select from (${TABLES}) t where case when t.relkind = 'S' then not has_sequence_privilege(t.oid, 'usage')
    else ${MISSES} end) as "mayWrite"`

/** Returns the GRANT statements that the owner must run. */
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
