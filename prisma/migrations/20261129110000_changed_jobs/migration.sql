-- locks: job (ACCESS EXCLUSIVE)
-- When a job last changed in anything that the feed of changes shows: not its progress. Jobs from before keep nulls and have changed
-- when they ended, started or were accepted: to fill them in would rewrite every row.
ALTER TABLE job ADD COLUMN changed_at timestamp(6) with time zone;

-- How far a feed of changes has been read. Writers get times after "opened"; all changes up to "settled" are visible. Cursors from
-- before "kept_from" are of a database that another one replaced, or lack deletions.
CREATE TABLE feed_horizon (
  feed text NOT NULL,
  opened timestamp(6) with time zone NOT NULL,
  settled timestamp(6) with time zone,
  kept_from timestamp(6) with time zone,
  PRIMARY KEY (feed)
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0');

INSERT INTO feed_horizon (feed, opened, kept_from) VALUES ('job', clock_timestamp(), clock_timestamp());

-- Deleted jobs, for 90 days.
CREATE TABLE deleted_job (
  account_id text NOT NULL COLLATE "C",
  job_id text NOT NULL COLLATE "C",
  deleted_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (account_id, deleted_at, job_id)
);
CREATE INDEX deleted_job_deleted_at_idx ON deleted_job (deleted_at);

-- A reader first raises "opened", then waits for the transactions that write jobs. One that begins to write later sees the raised
-- time, also after the clock was set back.
CREATE FUNCTION note_changed_job() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW."changed_at" := greatest(clock_timestamp(), (SELECT "opened" FROM "feed_horizon" WHERE "feed" = 'job') + interval '1 microsecond');
  RETURN NEW;
END $$;
CREATE TRIGGER job_changed_insert BEFORE INSERT ON job FOR EACH ROW EXECUTE FUNCTION note_changed_job();
CREATE TRIGGER job_changed_update BEFORE UPDATE OF account_id, type, endpoint_key, status, api_key_id, cost, attempt, created_at, started_at,
  completed_at, error_code, is_prohibited, reason, chat_id, media_url, media_kind, provider_job_id, gpu_execution_time_ms, voice, language, tags ON job
  FOR EACH ROW WHEN ((old.account_id, old.type, old.endpoint_key, old.status, old.api_key_id, old.cost, old.attempt, old.created_at,
    old.started_at, old.completed_at, old.error_code, old.is_prohibited, old.reason, old.chat_id, old.media_url, old.media_kind,
    old.provider_job_id, old.gpu_execution_time_ms, old.voice, old.language, old.tags)
  IS DISTINCT FROM (new.account_id, new.type, new.endpoint_key, new.status, new.api_key_id, new.cost, new.attempt, new.created_at,
    new.started_at, new.completed_at, new.error_code, new.is_prohibited, new.reason, new.chat_id, new.media_url, new.media_kind,
    new.provider_job_id, new.gpu_execution_time_ms, new.voice, new.language, new.tags))
  EXECUTE FUNCTION note_changed_job();

CREATE FUNCTION note_deleted_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO "deleted_job" ("account_id", "job_id", "deleted_at")
  SELECT "account_id", "id",
    greatest(clock_timestamp(), (SELECT "opened" FROM "feed_horizon" WHERE "feed" = 'job') + interval '1 microsecond')
  FROM "old_jobs";
  RETURN NULL;
END $$;
CREATE TRIGGER job_deleted AFTER DELETE ON job REFERENCING OLD TABLE AS old_jobs FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_jobs();

-- concurrently
-- locks: job (SHARE)
CREATE INDEX CONCURRENTLY job_account_id_changed_at_id_idx ON job (account_id, (COALESCE(changed_at, completed_at, started_at, created_at)), id);
