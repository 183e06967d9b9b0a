import { ownerOf } from '../access/actor.ts'
import type { Context } from '../context/context.ts'
import { longRead } from '../db/connections/long-read.ts'

/**
 * One pass over what is newer than the page, and one over the page: not one for each of its entries. Retention carries charges on late, and
 * dates them early: what was carried counts as of its date, as in the ledger's file. There is one of a month at most, with an index.
 */
const BALANCES = `
  with page as (
    select account_id, min(id) as low, max(id) as high from credit_entry where id = any($1::bigint[]) group by account_id
  ), newer as (
    select p.account_id, coalesce(sum(e.amount), 0) as amount
    from page p left join credit_entry e on e.account_id = p.account_id and e.id > p.high group by 1
  ), within as (
    select e.id, e.account_id, e.kind, e.created_at,
      sum(e.amount) over (partition by e.account_id order by e.id desc) - e.amount as amount
    from page p join credit_entry e on e.account_id = p.account_id and e.id between p.low and p.high
  )
  select w.id::text, (a.credits - n.amount - w.amount + coalesce((
      select sum(c.amount) from credit_entry c
      where c.account_id = w.account_id and c.kind = 'carried' and c.id > w.id and c.created_at < w.created_at
    ), 0) - case when w.kind = 'carried' then coalesce((
      select sum(o.amount) from credit_entry o
      where o.account_id = w.account_id and o.id < w.id and o.created_at > w.created_at
    ), 0) else 0 end)::float8 as balance
  from within w join newer n using (account_id) join account a on a.id = w.account_id where w.id = any($1::bigint[])`

/** What each of these entries left of its account's balance: that of now, less what came after it. Authorising is left to verbs. */
export async function balancesAfter(ctx: Context, entryIds: readonly string[]): Promise<Map<string, number>> {
  const statement = { text: BALANCES, values: [entryIds] }
  const { rows } = await longRead<{ id: string; balance: number }>(ctx.db, ownerOf(ctx.actor) ?? '', statement)
  return new Map(rows.map(({ id, balance }) => [id, balance]))
}
