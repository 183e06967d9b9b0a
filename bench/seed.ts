import { Client } from 'pg'

/** Over how many days, and how long ago they ended. */
interface SeedTime {
  readonly days: number
  readonly daysAgo: number
}

const LAST_YEAR: SeedTime = { days: 365, daysAgo: 0 }

/** The ten characters of a TypeID that are its milliseconds. */
const TIME = Array.from(
  { length: 10 },
  (_nothing, index) => `substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> ${45 - 5 * index} & 31)::int + 1, 1)`,
).join(' || ')

/** Hexadecimal digits are base32, too; the version (7) and the variant of a UUIDv7 are in the places that they have there. */
const ID = `'job_' || ${TIME} || substr('ef', 1 + (n % 2)::int, 1) || substr(h, 1, 2) || substr('89abrstv', 1 + (n % 8)::int, 1) || substr(h, 3, 12)`

/**
 * Half voice, a quarter generation, a quarter companion; most completed, some failed, a few in flight; three keys and the dashboard;
 * evenly over some days, ids in the order of time.
 */
const SEED = `
insert into job (id, account_id, type, endpoint_key, status, api_key_id, inputs, webhook_url, cost, attempt, created_at, started_at,
  completed_at, error_code, cause, is_prohibited, reason, chat_id, media_url, media_kind, provider_job_id, gpu_execution_time_ms)
select ${ID}, $1, t::job_type,
  case t when 'voice' then 'voice.tts' when 'generate' then 'generate.portrait' when 'companion_chat' then 'chat.companion'
    when 'companion_retarget' then 'chat.companion_retarget' else 'media.companion_tag' end,
  s::job_status, case n % 4 when 3 then null else 'key_' || substr($1, 6, 25) || n % 4 end,
  '{"text":"A sentence of an ordinary length, as it is sent.","voice":"aria"}', null, 50, 1, at, at,
  case when s in ('completed', 'failed') then at + interval '1 ms' * (800 + n % 5000) end,
  case when s = 'failed' then (array['PROVIDER_BUSY', 'JOB_TIMEOUT', 'RENDER_FAILED'])[1 + n % 3] end,
  case when s = 'failed' then 'the engine answered 503' end,
  case when t like 'companion%' and s = 'completed' then n % 7 = 0 end,
  case when t like 'companion%' and s = 'completed' and n % 7 = 0 then 'violence' end,
  case when t in ('companion_chat', 'companion_retarget') then 'chat_' || substr(h, 1, 12) end,
  case when t = 'companion_media_tag' then 'https://media.example.com/' || h || '.png' end,
  case when t = 'companion_media_tag' then 'image' end,
  case when t = 'generate' then substr(h, 1, 24) end,
  case when t = 'generate' and s = 'completed' then 900 + (n % 9000)::int end
from (
  select n, md5(n || $1) as h, ms, to_timestamp(ms / 1000.0) as at,
    (array['voice', 'voice', 'voice', 'voice', 'generate', 'generate', 'companion_chat', 'companion_retarget', 'companion_media_tag'])[1 + n * 7 % 9] as t,
    case when n % 50 = 0 then 'failed' when n > $2::bigint - 20 then 'queued' when n > $2::bigint - 40 then 'processing' else 'completed' end as s
  from (
    select n, (extract(epoch from now()) * 1000)::bigint - $4::bigint * 86400000 - ($2::bigint - n) * $3::bigint * 86400000 / $2::bigint as ms
    from generate_series(1::bigint, $2::bigint) n
  ) numbers
) made`

/** From here on it is faster to make the indexes afterwards, and to count all jobs at once. */
const MANY_JOBS = 1_000_000

/** As the triggers note them, also next to what these noted of jobs that were deleted; in shards that share no hour: each is folded without what the others hold. */
const NOTES = [
  `insert into job_count (account_id, type, status, decision, shard, jobs)
   select account_id, type, status, job_decision_of(is_prohibited), 0, count(*) from job where account_id = $1 group by 1, 2, 3, 4
   on conflict (account_id, type, status, decision, shard) do update set jobs = excluded.jobs`,
  `insert into job_rollup_delta as d (account_id, shard, at, type, status, decision, endpoint_key, api_key_id, error_code, wait_bucket,
     run_bucket, started, ended, in_events, jobs, credits, characters, audio_ms)
   select account_id, (extract(epoch from date_trunc('hour', created_at, 'UTC')) / 86400)::integer % 16, date_trunc('hour', created_at, 'UTC'),
     type, status, job_decision_of(is_prohibited), endpoint_key, api_key_id, error_code, job_bucket(started_at - created_at),
     job_bucket(completed_at - started_at), date_trunc('hour', started_at, 'UTC'), date_trunc('hour', completed_at, 'UTC'), true,
     count(*), sum(job_credits(status, cost)), sum(job_characters(type, inputs)), 0
   from job where account_id = $1 group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
   on conflict (account_id, at, shard, type, status, decision, endpoint_key, api_key_id, error_code, wait_bucket, run_bucket, started,
     ended, in_events) do update set jobs = d.jobs + excluded.jobs, credits = d.credits + excluded.credits,
     characters = d.characters + excluded.characters, audio_ms = d.audio_ms + excluded.audio_ms`,
]

/** Fills an account that has none with jobs of all types, of the last 365 days unless said otherwise, and brings the statistics up to date. */
export async function seedJobs(client: Client, accountId: string, jobs: number, time = LAST_YEAR): Promise<void> {
  const values = [accountId, jobs, time.days, time.daysAgo] as const
  if (jobs < MANY_JOBS) await client.query(SEED, [...values])
  else await seedMany(client, values)
  await client.query('vacuum analyze job')
}

/**
 * Without triggers, checks of foreign keys and indexes, all of which are made up for. In one transaction: a role that may not leave out the
 * triggers is refused, and the indexes stay.
 */
async function seedMany(client: Client, values: readonly [string, ...unknown[]]): Promise<void> {
  await client.query('begin')
  try {
    await seedWithoutIndexes(client, values)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function seedWithoutIndexes(client: Client, values: readonly [string, ...unknown[]]): Promise<void> {
  await client.query(
    `set local session_replication_role = replica; set local maintenance_work_mem = '512MB'; set local work_mem = '256MB'`,
  )
  const text = `select indexrelid::regclass as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition from pg_index
    where indrelid = 'job'::regclass and not indisprimary`
  const { rows } = await client.query<{ name: string; definition: string }>(text)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await client.query(SEED, [...values])
  for (const { definition } of rows) await client.query(definition)
  for (const note of NOTES) await client.query(note, [values[0]])
}

/** Jobs instead of those that the account has. */
export async function reseedJobs(client: Client, accountId: string, jobs: number): Promise<void> {
  await client.query('delete from job where account_id = $1', [accountId])
  await seedJobs(client, accountId, jobs)
}

/** As tables lie for most of their lives: neither autovacuum nor the writing of what was seeded goes on beside what is measured. */
export async function settle(client: Client): Promise<void> {
  await client.query('vacuum analyze job, job_rollup, job_rollup_delta, job_event')
  await client.query('checkpoint')
}

/** Works with a connection of its own. */
export async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
