import { ownerOf } from '../access/actor.ts'
import type { Context } from '../context/context.ts'
import { longRead } from '../db/connections/long-read.ts'

/** One pass over what is newer than the page, and one over the page: not one for each of its entries. */
const BALANCES = `
  with page as (
    select account_id, min(id) as low, max(id) as high from credit_entry where id = any($1::bigint[]) group by account_id
  ), newer as (
    select p.account_id, coalesce(sum(e.amount), 0) as amount
    from page p left join credit_entry e on e.account_id = p.account_id and e.id > p.high group by 1
  ), within as (
    select e.id, e.account_id, sum(e.amount) over (partition by e.account_id order by e.id desc) - e.amount as amount
    from page p join credit_entry e on e.account_id = p.account_id and e.id between p.low and p.high
  )
  select w.id::text, (a.credits - n.amount - w.amount)::float8 as balance
  from within w join newer n using (account_id) join account a on a.id = w.account_id where w.id = any($1::bigint[])`

/** What each of these entries left of its account's balance: that of now, less what came after it. Authorising is left to verbs. */
export async function balancesAfter(ctx: Context, entryIds: readonly string[]): Promise<Map<string, number>> {
  const statement = { text: BALANCES, values: [entryIds] }
  const { rows } = await longRead<{ id: string; balance: number }>(ctx.db, ownerOf(ctx.actor) ?? '', statement)
  return new Map(rows.map(({ id, balance }) => [id, balance]))
}
