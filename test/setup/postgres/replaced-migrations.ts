import { type Database, openDatabase } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'

const WHOLE_SCHEMA = '20261129000000_whole_schema'

/** The migrations that the whole schema replaced. */
export const REPLACED: readonly string[] = [
  '20261120000000_create_base',
  '20261121000100_count_jobs',
  '20261121000200_create_producers',
  '20261121000300_create_webhook_delivery',
  '20261121000400_add_job_progress',
  '20261121000500_register_workers',
  '20261121000700_index_jobs',
  '20261121000800_create_user',
  '20261121000900_record_public_url',
  '20261121001000_count_hand_backs',
  '20261121001300_index_webhook_purges',
  '20261121001310_index_pending_deliveries',
  '20261121001400_share_servers',
  '20261121001600_disable_user',
  '20261121001700_look_up_claimed_jobs',
  '20261121001900_note_abandoned_attempts',
  '20261122000000_guard_versions',
  '20261122001400_own_server',
  '20261122001500_add_job_options',
  '20261122010000_roll_up_jobs',
  '20261122020000_retain_for_a_time',
  '20261122030000_sign_in_links',
  '20261122030100_see_users',
  '20261122030200_mark_operators',
  '20261122031000_count_deliveries',
  '20261122032000_time_speech',
  '20261122050000_add_voice_library',
  '20261122060000_describe_api_keys',
  '20261122090000_add_lexicon',
  '20261122100000_roll_up_events',
  '20261122110000_audit_changes',
  '20261123050000_voice_language',
  '20261123060000_sum_histograms',
  '20261123070000_sum_types',
  '20261126000000_sum_acceptances',
  '20261126010000_note_attempts',
  '20261126020000_index_audit_times',
  '20261127000000_describe_jobs',
  '20261127190000_partition_jobs',
  '20261128165626_close_windows',
  '20261128171900_share_addresses',
  '20261128173519_endpoint_loudness',
  '20261128205600_engines_away',
  '20261128210000_public_ids',
]

/** Gives a database the ledger that an older program wrote, up to so many of its migrations. */
export async function takeLedgerBack({ pool }: Pick<Database, 'pool'>, count = REPLACED.length): Promise<void> {
  await pool.query('delete from _prisma_migrations')
  await pool.query(
    `insert into _prisma_migrations (id, checksum, migration_name, applied_steps_count, started_at, finished_at)
     select gen_random_uuid()::text, md5(name), name, 1, now() + n * interval '1 ms', now() + n * interval '1 ms'
     from unnest($1::text[]) with ordinality as t (name, n)`,
    [REPLACED.slice(0, count)],
  )
}

/** Makes a database as the last program with all of them leaves it; the last release can run on it. */
export async function migrateAsBefore(url: string): Promise<void> {
  const db = openDatabase(url, openLog('silent'))
  try {
    await migrate(db, openLog('silent'), { only: [WHOLE_SCHEMA] })
    await takeLedgerBack(db)
  } finally {
    await db.close()
  }
}
