import { ownerOf } from '../access/actor.ts'
import type { Context } from '../context/context.ts'
import { longRead } from '../db/connections/long-read.ts'

/** Releases up to 0.1.0 wrote carried charges late and dated them early: they count as of their date. Prisma Client has no window functions. */
const BALANCES = `
  with asked as (
    select id, account_id, kind, created_at from credit_entry where id = any($1::bigint[])
  ), page as (
    select account_id, min(id) as low, max(id) as high from asked where kind <> 'carried' group by account_id
  ), newer as (
    select p.account_id, coalesce(sum(e.amount), 0) as amount
    from page p left join credit_entry e on e.account_id = p.account_id and e.id > p.high group by 1
  ), within as (
    select e.id, e.account_id, e.kind, e.created_at,
      sum(e.amount) over (partition by e.account_id order by e.id desc) - e.amount as amount
    from page p join credit_entry e on e.account_id = p.account_id and e.id between p.low and p.high
  ), carried as (
    select id, account_id, row_number() over (partition by account_id order by created_at) as place from asked where kind = 'carried'
  ), dates as (
    select account_id, array_agg(created_at + interval '1 microsecond' order by created_at) as after
    from asked where kind = 'carried' group by 1
  ), between_dates as (
    select d.account_id, width_bucket(e.created_at, d.after) as place, sum(e.amount) as amount
    from dates d join credit_entry e on e.account_id = d.account_id and e.created_at >= d.after[1] group by 1, 2
  ), later as (
    select w.id, w.account_id, n.amount + w.amount - coalesce((
      select sum(c.amount) from credit_entry c
      where c.account_id = w.account_id and c.kind = 'carried' and c.id > w.id and c.created_at < w.created_at
    ), 0) as amount
    from within w join newer n using (account_id) where w.kind <> 'carried' and w.id = any($1::bigint[])
    union all
    select c.id, c.account_id, coalesce(sum(b.amount), 0)
    from carried c left join between_dates b on b.account_id = c.account_id and b.place >= c.place group by 1, 2
  )
  select l.id::text, (a.credits - l.amount)::float8 as balance from later l join account a on a.id = l.account_id`

/** The balance after each entry. The caller authorises. */
export async function balancesAfter(ctx: Context, entryIds: readonly string[]): Promise<Map<string, number>> {
  const statement = { text: BALANCES, values: [entryIds] }
  const { rows } = await longRead<{ id: string; balance: number }>(ctx.db, ownerOf(ctx.actor) ?? '', statement)
  return new Map(rows.map(({ id, balance }) => [id, balance]))
}
