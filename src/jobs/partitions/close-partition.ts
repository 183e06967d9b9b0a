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

interface Succession {
  readonly of: Partitioned
  readonly newest: Partition
  readonly next: string
}

/** Claims and completions lock in this order. Attaching a partition changes triggers of `account`. */
const LOCK = lockTogether([...PARTITIONED.map(({ table }) => table), 'account'])

/** Settings, owner and grants, which LIKE does not copy. */
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
 * Ends each table's newest partition before an id and adds the next. A check is validated beside writes first, so exclusive locks are short. It is safe to repeat.
 * @param until an id that no job has reached; PostgreSQL refuses later ids meanwhile
 * @throws an error that `isHeldUp` recognises
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

/** LIKE copies neither triggers nor foreign keys; attaching adds them. */
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
  // With this check PostgreSQL attaches partitions without a scan.
  if (newest.isDefault) return [added]
  return [
    `alter table ${table} detach partition ${ending}`,
    `alter table ${table} attach partition ${ending} for values from (${from}) to (${bound})`,
    `alter table ${ending} drop constraint ${CLOSING}`,
    added,
  ]
}
