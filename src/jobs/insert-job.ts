import { rememberingJobs } from '../idempotency/remember-response.ts'
import type { RowInsert } from '../queue/queue.ts'
import { STARTED_AT } from './job-times.ts'

type JobInsert = Omit<RowInsert, 'row'>

const COLUMNS =
  'id, account_id, type, endpoint_key, api_key_id, inputs, webhook_url, cost, created_at, options, user_id'
const ARRAYS = `$1::text[], $2::text[], $3::job_type[], $4::text[], $5::text[], $6::json[], $7::text[], $8::bigint[],
  $9::timestamptz[], $10::jsonb[], $11::text[]`
const MADE = `unnest(${ARRAYS}) as made (${COLUMNS})`
/** Those of `asked` that their Idempotency-Keys stand for now. */
const KEYED = `asked as materialized (
    select * from unnest(${ARRAYS}, $12::text[], $13::bytea[]) as asked (${COLUMNS}, key, request_hash)
  ),
  remembered as (${rememberingJobs('asked')}),
  made as materialized (select ${COLUMNS} from asked where id in (select id from remembered))`

/** Behind the row, so that a repetition of one that is there is told from it first. */
const IN_TIME = 'refuse_late_job(account_id, created_at)'

/** Jobs that wait for a worker; one parameter for each of COLUMNS. */
export const INSERT_WAITING: JobInsert = {
  name: 'insert_job',
  text: (condition) =>
    `insert into job (${COLUMNS}) select ${COLUMNS} from ${MADE} where ${condition} returning ${IN_TIME}`,
  returns: true,
}

/** The same with an Idempotency-Key each, and the hash of its request: not where a key stands for another job. */
export const INSERT_WAITING_ONCE: JobInsert = {
  name: 'insert_once',
  with: KEYED,
  chosen: 'remembered',
  text: (condition) =>
    `insert into job (${COLUMNS}) select ${COLUMNS} from made where ${condition} returning id, ${IN_TIME}`,
}

const CHARGED = `
    purse as materialized (select id from account where id in (select account_id from made where cost > 0) for no key update skip locked),
    paid as (
      update account a set credits = a.credits - made.cost from made join purse on purse.id = made.account_id
      where a.id = purse.id and a.credits >= made.cost returning a.id
    ),
    entered as (
      insert into credit_entry (account_id, kind, amount, job_id)
      select account_id, 'charge', -cost, id from made where account_id in (select id from paid)
    ),
    decided as (select *, cost = 0 or account_id in (select id from paid) as funded from made)`
const takenWhere = (condition: string) => `
    insert into job (${COLUMNS}, status, attempt, started_at)
    select ${COLUMNS}, case when funded then 'processing' else 'queued' end::job_status, funded::integer,
      case when funded then ${STARTED_AT} end
    from decided where ${condition}
    returning id, account_id, type, endpoint_key, attempt, hand_backs, inputs, options, attempt = 1 as funded,
      (select revision from lexicon l where l.account_id = job.account_id) as lexicon,
      coalesce(webhook_url, (select a.webhook_url from account a where a.id = job.account_id)) is not null as delivers,
      cost::float8 as charged, extract(epoch from started_at - created_at)::float8 as waited, ${IN_TIME}`

/**
 * One job, claimed with its charge as `claimJobs` does it: a `ClaimedRow`. `funded` is false where the balance is below the cost, or another
 * transaction holds it: then the job waits, and is still to be claimed.
 */
export const INSERT_TAKEN: JobInsert = {
  name: 'insert_taken_job',
  with: `made as materialized (select * from ${MADE}), ${CHARGED}`,
  text: takenWhere,
}

/** The same with an Idempotency-Key, as `INSERT_WAITING_ONCE` has it. */
export const INSERT_TAKEN_ONCE: JobInsert = {
  name: 'insert_taken_once',
  with: `${KEYED}, ${CHARGED}`,
  chosen: 'remembered',
  text: takenWhere,
}
