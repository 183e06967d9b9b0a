-- Roles of PostgreSQL that may read the views below: of one account, or null: of all.
CREATE TABLE data_grant (
  role text NOT NULL COLLATE "C",
  account_id text COLLATE "C",
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (role)
);

-- Version 1 of what data teams may build on: columns are only added, at the end.
CREATE SCHEMA IF NOT EXISTS sonant_v1;
COMMENT ON SCHEMA sonant_v1 IS 'Stable views for data teams, version 1. Times are in UTC. A role sees the accounts that it was granted.';

CREATE VIEW sonant_v1.jobs WITH (security_barrier) AS
SELECT j.id AS job_id, j.account_id, j.type::text AS type, j.endpoint_key, j.status::text AS status, j.error_code, j.is_prohibited, j.api_key_id,
  j.voice, j.language, j.tags, j.cost, j.attempt AS attempts,
  CASE WHEN j.type = 'voice' THEN char_length(j.inputs ->> 'text') END AS characters,
  (SELECT a.duration_ms FROM artifact a WHERE a.job_id = j.id AND a.output = 'audio') AS audio_ms,
  j.created_at, j.started_at, j.completed_at,
  CASE WHEN j.started_at IS NOT NULL THEN greatest(0, extract(epoch FROM j.started_at - j.created_at) * 1000)::bigint END AS wait_ms,
  CASE WHEN j.completed_at IS NOT NULL AND j.started_at IS NOT NULL
    THEN greatest(0, extract(epoch FROM j.completed_at - j.started_at) * 1000)::bigint END AS run_ms,
  CASE WHEN j.completed_at IS NOT NULL THEN greatest(0, extract(epoch FROM j.completed_at - j.created_at) * 1000)::bigint END AS duration_ms,
  coalesce(j.changed_at, j.completed_at, j.started_at, j.created_at) AS changed_at
FROM job j
WHERE j.account_id = ANY (ARRAY(SELECT a.id FROM account a JOIN data_grant g ON g.account_id IS NULL OR g.account_id = a.id WHERE g.role = session_user));
COMMENT ON VIEW sonant_v1.jobs IS 'Jobs as they are now, without texts, causes and results. Deleted jobs are not in it.';
COMMENT ON COLUMN sonant_v1.jobs.job_id IS 'Id of the job, which begins with the time of its acceptance.';
COMMENT ON COLUMN sonant_v1.jobs.account_id IS 'Account that owns the job.';
COMMENT ON COLUMN sonant_v1.jobs.type IS 'Type of the job, such as voice.';
COMMENT ON COLUMN sonant_v1.jobs.endpoint_key IS 'Endpoint or workflow of the job, such as voice.tts.';
COMMENT ON COLUMN sonant_v1.jobs.status IS 'queued, processing, completed or failed.';
COMMENT ON COLUMN sonant_v1.jobs.error_code IS 'Error code of a failed job.';
COMMENT ON COLUMN sonant_v1.jobs.is_prohibited IS 'Verdict of a moderated job: true if it was rejected.';
COMMENT ON COLUMN sonant_v1.jobs.api_key_id IS 'Key that submitted the job, which may be deleted; null for a user.';
COMMENT ON COLUMN sonant_v1.jobs.voice IS 'Voice that was asked for; null for jobs of releases up to 0.1.0.';
COMMENT ON COLUMN sonant_v1.jobs.language IS 'Language of the job, if it is known.';
COMMENT ON COLUMN sonant_v1.jobs.tags IS 'Tags of the job.';
COMMENT ON COLUMN sonant_v1.jobs.cost IS 'Credits that the job costs once it is claimed; a failed job gets them back.';
COMMENT ON COLUMN sonant_v1.jobs.attempts IS 'Number of attempts so far.';
COMMENT ON COLUMN sonant_v1.jobs.characters IS 'Characters of the text of a voice job.';
COMMENT ON COLUMN sonant_v1.jobs.audio_ms IS 'Length of the audio in milliseconds.';
COMMENT ON COLUMN sonant_v1.jobs.created_at IS 'When the job was accepted.';
COMMENT ON COLUMN sonant_v1.jobs.started_at IS 'When a worker first claimed the job.';
COMMENT ON COLUMN sonant_v1.jobs.completed_at IS 'When the job ended, completed or failed.';
COMMENT ON COLUMN sonant_v1.jobs.wait_ms IS 'Milliseconds from the acceptance to the first claim.';
COMMENT ON COLUMN sonant_v1.jobs.run_ms IS 'Milliseconds from the first claim to the end.';
COMMENT ON COLUMN sonant_v1.jobs.duration_ms IS 'Milliseconds from the acceptance to the end.';
COMMENT ON COLUMN sonant_v1.jobs.changed_at IS 'When the job last changed.';

CREATE VIEW sonant_v1.ledger WITH (security_barrier) AS
SELECT CASE WHEN e.job_id IS NULL THEN coalesce(e.public_id, 'entry_' || e.id)
    WHEN e.kind = 'refund' THEN 'entry_' || overlay(substr(e.job_id, 5) placing translate(substr(e.job_id, 15, 1), 'ef', 'gh') FROM 11)
    ELSE 'entry_' || substr(e.job_id, 5) END AS entry_id,
  e.account_id, e.kind::text AS kind, e.amount, (sum(e.amount) OVER (PARTITION BY e.account_id ORDER BY e.id))::bigint AS balance,
  e.job_id, e.api_key_id, e.endpoint_key, e.created_at, row_number() OVER (PARTITION BY e.account_id ORDER BY e.id) AS position
FROM credit_entry e
WHERE e.account_id = ANY (ARRAY(SELECT a.id FROM account a JOIN data_grant g ON g.account_id IS NULL OR g.account_id = a.id WHERE g.role = session_user));
COMMENT ON VIEW sonant_v1.ledger IS 'All changes of balances. An entry never changes and is never deleted.';
COMMENT ON COLUMN sonant_v1.ledger.entry_id IS 'Id of the entry.';
COMMENT ON COLUMN sonant_v1.ledger.account_id IS 'Account whose balance changed.';
COMMENT ON COLUMN sonant_v1.ledger.kind IS 'grant, charge, refund, or carried: a month of jobs that a release up to 0.1.0 deleted.';
COMMENT ON COLUMN sonant_v1.ledger.amount IS 'Credits, negative for a charge.';
COMMENT ON COLUMN sonant_v1.ledger.balance IS 'Sum of all amounts of the account up to this entry, in the order of the ledger.';
COMMENT ON COLUMN sonant_v1.ledger.job_id IS 'Job that was charged or refunded, which may be deleted.';
COMMENT ON COLUMN sonant_v1.ledger.api_key_id IS 'Key that submitted the job.';
COMMENT ON COLUMN sonant_v1.ledger.endpoint_key IS 'Endpoint or workflow of the job.';
COMMENT ON COLUMN sonant_v1.ledger.created_at IS 'When the entry was written. Several entries may have one time.';
COMMENT ON COLUMN sonant_v1.ledger.position IS 'Place of the entry in the ledger of its account, from 1 on.';

CREATE VIEW sonant_v1.api_keys WITH (security_barrier) AS
SELECT k.id AS api_key_id, k.account_id, k.name, k.scopes, k.created_at, k.expires_at, k.last_used_at
FROM api_key k
WHERE k.account_id = ANY (ARRAY(SELECT a.id FROM account a JOIN data_grant g ON g.account_id IS NULL OR g.account_id = a.id WHERE g.role = session_user));
COMMENT ON VIEW sonant_v1.api_keys IS 'API keys that exist now, without the keys themselves and their hashes.';
COMMENT ON COLUMN sonant_v1.api_keys.api_key_id IS 'Id of the key.';
COMMENT ON COLUMN sonant_v1.api_keys.account_id IS 'Account that the key acts for.';
COMMENT ON COLUMN sonant_v1.api_keys.name IS 'Name of the key.';
COMMENT ON COLUMN sonant_v1.api_keys.scopes IS 'Scopes of the key.';
COMMENT ON COLUMN sonant_v1.api_keys.created_at IS 'When the key was made.';
COMMENT ON COLUMN sonant_v1.api_keys.expires_at IS 'When the key stops working; null: never.';
COMMENT ON COLUMN sonant_v1.api_keys.last_used_at IS 'When the key was last used, roughly.';

CREATE VIEW sonant_v1.usage_daily WITH (security_barrier) AS
SELECT account_id, (created_at AT TIME ZONE 'UTC')::date AS day, endpoint_key, api_key_id, type, status, count(*) AS jobs,
  coalesce(sum(cost) FILTER (WHERE status <> 'failed'), 0)::bigint AS credits,
  coalesce(sum(characters), 0)::bigint AS characters, coalesce(sum(audio_ms), 0)::float8 / 1000 AS audio_seconds
FROM sonant_v1.jobs GROUP BY 1, 2, 3, 4, 5, 6;
COMMENT ON VIEW sonant_v1.usage_daily IS 'Jobs that still exist, summed up by the day of their acceptance in UTC.';
COMMENT ON COLUMN sonant_v1.usage_daily.account_id IS 'Account that owns the jobs.';
COMMENT ON COLUMN sonant_v1.usage_daily.day IS 'Day of the acceptance in UTC.';
COMMENT ON COLUMN sonant_v1.usage_daily.endpoint_key IS 'Endpoint or workflow of the jobs.';
COMMENT ON COLUMN sonant_v1.usage_daily.api_key_id IS 'Key that submitted the jobs.';
COMMENT ON COLUMN sonant_v1.usage_daily.type IS 'Type of the jobs.';
COMMENT ON COLUMN sonant_v1.usage_daily.status IS 'Status of the jobs.';
COMMENT ON COLUMN sonant_v1.usage_daily.jobs IS 'Number of jobs.';
COMMENT ON COLUMN sonant_v1.usage_daily.credits IS 'Credits of jobs that have not failed.';
COMMENT ON COLUMN sonant_v1.usage_daily.characters IS 'Characters of the texts of voice jobs.';
COMMENT ON COLUMN sonant_v1.usage_daily.audio_seconds IS 'Seconds of audio.';
