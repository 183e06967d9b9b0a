import { type ClientBase, escapeIdentifier, escapeLiteral } from 'pg'
import { idTime } from '../../values/id.ts'
import { briefly, lockTogether } from './briefly.ts'
import {
  BEGINNING,
  CLOSING,
  newestOf,
  PARTITIONED,
  type Partition,
  type Partitioned,
  readPartitions,
} from './partitions.ts'

/** The newest partition of a table, and the name of what follows it. */
interface Succession {
  readonly of: Partitioned
  readonly newest: Partition
  readonly next: string
}

/**
 * In the order in which claims and completions take them, so that none of those has one and waits for another. A partition's foreign key
 * comes and goes with triggers of the table that it refers to.
 */
const LOCK = lockTogether([...PARTITIONED.map(({ table }) => table), 'account'])

/** What else than columns and indexes a table has that another one is to have as well, as SQL: its settings, its owner, rights of other roles. */
const TRAITS = `
  select format('alter table %I set (%s)', $1::text, array_to_string(reloptions, ', ')) as sql
  from pg_class where oid = $2::regclass and reloptions is not null
  union all select format('alter table %I owner to %I', $1::text, pg_get_userbyid(relowner)) from pg_class where oid = $2::regclass
  union all
  select format('grant %s on %I to %s', a.privilege_type, $1::text, coalesce(quote_ident(r.rolname), 'public'))
    || case when a.is_grantable then ' with grant option' else '' end
  from pg_class c cross join lateral aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
  where c.oid = $2::regclass and a.grantee <> c.relowner`

/**
 * Ends the newest partition of each table before an id, and adds one for all ids from there on. A check of the newest one is added and
 * validated first, beside all writes; then the tables are locked for some milliseconds, in which no row is read. What was broken off
 * half-way goes on when it is called again with the same id.
 * @param until no job has it yet, nor a later one: once it is a check, they are refused until this has ended
 * @throws what `isHeldUp` knows, where another transaction holds a table
 */
export async function closePartition(client: ClientBase, until: string): Promise<void> {
  const partitions = await readPartitions(client)
  const all = PARTITIONED.map((of): Succession => {
    const next = `${of.table}_${idTime(until).toISOString().slice(0, 10).replaceAll('-', '')}`
    return { of, newest: newestOf(partitions, of.table), next }
  })
  for (const one of all) await checkNewest(client, one, until)
  const created: string[] = []
  for (const one of all) created.push(...creation(one, until), ...(await traits(client, one)))
  await briefly(client, [...created, ...LOCK, ...all.flatMap((one) => succession(one, until))])
}

/** Gives up what was begun, so that nothing is refused when its time comes. */
export async function stopClosing(client: ClientBase): Promise<void> {
  const partitions = await readPartitions(client)
  for (const { table } of PARTITIONED) {
    const name = escapeIdentifier(newestOf(partitions, table).name)
    await briefly(client, [`alter table ${name} drop constraint if exists ${CLOSING}`])
  }
}

async function checkNewest(client: ClientBase, { of: { key }, newest }: Succession, until: string): Promise<void> {
  const name = escapeIdentifier(newest.name)
  const condition = `${newest.isDefault ? `${key} is null or ` : ''}${key} < ${escapeLiteral(until)}`
  if (newest.closing === null)
    await briefly(client, [`alter table ${name} add constraint ${CLOSING} check (${condition}) not valid`])
  await client.query(`alter table ${name} validate constraint ${CLOSING}`)
}

/** With all that the newest one has but its triggers and foreign keys, which come with its place, and its traits. */
function creation({ of: { key }, newest, next }: Succession, from: string): string[] {
  const name = escapeIdentifier(next)
  return [
    `create table ${name} (like ${escapeIdentifier(newest.name)} including all)`,
    `alter table ${name} drop constraint ${CLOSING}, drop constraint if exists ${BEGINNING},
       add constraint ${BEGINNING} check (${key} is not null and ${key} >= ${escapeLiteral(from)})`,
  ]
}

async function traits(client: ClientBase, { newest, next }: Succession): Promise<string[]> {
  const { rows } = await client.query<{ sql: string }>(TRAITS, [next, escapeIdentifier(newest.name)])
  return rows.map(({ sql }) => sql)
}

function succession({ of: { table }, newest, next }: Succession, at: string): string[] {
  const [ending, beginning] = [escapeIdentifier(newest.name), escapeIdentifier(next)]
  const [from, bound] = [newest.from === null ? 'minvalue' : escapeLiteral(newest.from), escapeLiteral(at)]
  const added = `alter table ${table} attach partition ${beginning} for values from (${bound}) to (maxvalue)`
  // The ledger's default partition keeps its check: by it PostgreSQL knows that it has no row of the others.
  if (newest.isDefault) return [added]
  return [
    `alter table ${table} detach partition ${ending}`,
    `alter table ${table} attach partition ${ending} for values from (${from}) to (${bound})`,
    `alter table ${ending} drop constraint ${CLOSING}`,
    added,
  ]
}
