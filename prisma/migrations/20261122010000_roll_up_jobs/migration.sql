-- Statistics without reading every job: what jobs have in common, summed up by hour, by day and over all time. The triggers of the counters
-- write what changed to `job_rollup_delta`, each transaction to a shard of its own; workers fold that into `job_rollup` once a minute. So
-- `job_rollup` and `job_rollup_delta` together are exact in every snapshot. Jobs from before this migration are added page by page:
-- `job_rollup_backlog` says which of them are missing yet, and readers count those one by one.

-- First of all, and in the order in which a worker that completes a job locks them. All that follows takes milliseconds.
LOCK TABLE "job", "artifact" IN SHARE ROW EXCLUSIVE MODE;

-- CreateEnum
CREATE TYPE "job_rollup_span" AS ENUM ('hour', 'day', 'all');

-- CreateTable
CREATE TABLE "job_rollup" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "span" "job_rollup_span" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "type" "job_type" NOT NULL,
    "status" "job_status" NOT NULL,
    "decision" "job_decision" NOT NULL,
    "endpoint_key" TEXT COLLATE "C" NOT NULL,
    "api_key_id" TEXT COLLATE "C",
    "error_code" TEXT,
    "jobs" BIGINT NOT NULL,
    "credits" BIGINT NOT NULL,
    "characters" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL,
    "wait" BIGINT[] NOT NULL,
    "run" BIGINT[] NOT NULL
);

-- CreateTable
CREATE TABLE "job_rollup_delta" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "shard" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "type" "job_type" NOT NULL,
    "status" "job_status" NOT NULL,
    "decision" "job_decision" NOT NULL,
    "endpoint_key" TEXT COLLATE "C" NOT NULL,
    "api_key_id" TEXT COLLATE "C",
    "error_code" TEXT,
    "wait_bucket" SMALLINT,
    "run_bucket" SMALLINT,
    "jobs" BIGINT NOT NULL,
    "credits" BIGINT NOT NULL,
    "characters" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "job_rollup_backlog" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "filled_to" TEXT COLLATE "C" NOT NULL,
    "until" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "job_rollup_backlog_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "job_rollup_backlog" ADD CONSTRAINT "job_rollup_backlog_id_check" CHECK ("id" = 1);

-- CreateIndex
CREATE UNIQUE INDEX "job_rollup_key" ON "job_rollup"("account_id", "span", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code") NULLS NOT DISTINCT;

-- CreateIndex
CREATE UNIQUE INDEX "job_rollup_delta_key" ON "job_rollup_delta"("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket", "run_bucket") NULLS NOT DISTINCT;

-- What is folded: each shard alone.
CREATE INDEX "job_rollup_delta_shard_idx" ON "job_rollup_delta"("shard");
-- What has come to nothing is found without reading the rest. Prisma's schema knows no partial indexes, nor does its comparison see them.
CREATE INDEX "job_rollup_empty_idx" ON "job_rollup"("account_id") WHERE "jobs" = 0;

-- Rows that are written over and over, or live for a minute: they stay in their pages and are swept early.
ALTER TABLE "job_rollup" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "job_rollup_delta" SET (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

-- The logarithmic bucket of a duration: 0 for none, then eight to a doubling of the milliseconds. Its geometric middle is within 4.5 % of
-- whatever is in it.
CREATE FUNCTION "job_bucket"("duration" INTERVAL) RETURNS SMALLINT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN "duration" IS NULL THEN NULL
    WHEN extract(epoch FROM "duration")::float8 < 0.001 THEN 0
    ELSE 1 + floor(8 / ln(2::float8) * ln(extract(epoch FROM "duration")::float8 * 1000)) END::smallint
$$;

-- Buckets with their numbers of jobs, each pair in one integer: bucket * 2^40 + jobs. Equal buckets are added up, empty ones left out.
CREATE FUNCTION "job_histogram"("pairs" BIGINT[]) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(("bucket" << 40) + "jobs" ORDER BY "bucket"), '{}') FROM (
    SELECT ("pair" + (1::bigint << 39)) >> 40 AS "bucket", sum("pair" - (("pair" + (1::bigint << 39)) >> 40 << 40))::bigint AS "jobs"
    FROM unnest("pairs") AS "pair" GROUP BY 1
  ) AS "buckets" WHERE "jobs" <> 0
$$;

-- Credits that an account has not got back.
CREATE FUNCTION "job_credits"("status" "job_status", "cost" BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN "status" = 'failed' THEN 0 ELSE "cost" END
$$;

CREATE FUNCTION "job_characters"("type" "job_type", "inputs" JSON) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN "type" = 'voice' THEN coalesce(char_length("inputs"->>'text'), 0) ELSE 0 END
$$;

-- Which jobs the roll-up lacks: those after "filled_to", up to "until". What adds them holds this lock alone, so that none of them
-- changes meanwhile; jobs from after the migration never wait for it.
CREATE FUNCTION "job_backlog"("oldest" TEXT) RETURNS "job_rollup_backlog" LANGUAGE plpgsql AS $$
DECLARE
  backlog "job_rollup_backlog";
BEGIN
  SELECT * INTO backlog FROM "job_rollup_backlog";
  IF backlog."until" IS NULL OR "oldest" > backlog."until" THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(7242003);
  SELECT * INTO backlog FROM "job_rollup_backlog";
  RETURN backlog;
END $$;

CREATE OR REPLACE FUNCTION "count_inserted_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
  backlog CONSTANT "job_rollup_backlog" := "job_backlog"((SELECT min("id") FROM "new_jobs"));
BEGIN
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, count(*) FROM "new_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    count(*), sum("job_credits"("status", "cost")), sum("job_characters"("type", "inputs")), 0
  FROM "new_jobs" WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_deleted_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
  backlog CONSTANT "job_rollup_backlog" := "job_backlog"((SELECT min("id") FROM "old_jobs"));
BEGIN
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, -count(*) FROM "old_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    -count(*), -sum("job_credits"("status", "cost")), -sum("job_characters"("type", "inputs")), 0
  FROM "old_jobs" WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;

-- What moved between two counts; nothing is written for an update that leaves a job where it was. A job's inputs never change, so they
-- are read only of one that moved.
CREATE OR REPLACE FUNCTION "count_updated_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
BEGIN
  IF NOT EXISTS (
    SELECT FROM "old_jobs" o JOIN "new_jobs" n ON n."id" = o."id"
    WHERE (o."status", o."started_at", o."completed_at", o."cost", o."is_prohibited", o."error_code", o."account_id", o."type",
        o."endpoint_key", o."api_key_id", o."created_at")
      IS DISTINCT FROM (n."status", n."started_at", n."completed_at", n."cost", n."is_prohibited", n."error_code", n."account_id",
        n."type", n."endpoint_key", n."api_key_id", n."created_at")
  ) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("id") FROM "old_jobs"));

  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "decision", mine, sum("jobs") FROM (
    SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited") AS "decision", 1 AS "jobs" FROM "new_jobs"
    UNION ALL
    SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), -1 FROM "old_jobs"
  ) AS "moves"
  GROUP BY 1, 2, 3, 4 HAVING sum("jobs") <> 0
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    sum("jobs"), sum("jobs" * "job_credits"("status", "cost")), sum("jobs" * "job_characters"("type", "inputs")), 0
  FROM (
    SELECT "id", "account_id", "created_at", "type", "status", "is_prohibited", "endpoint_key", "api_key_id", "error_code", "started_at",
      "completed_at", "cost", "inputs", 1 AS "jobs" FROM "new_jobs"
    UNION ALL
    SELECT "id", "account_id", "created_at", "type", "status", "is_prohibited", "endpoint_key", "api_key_id", "error_code", "started_at",
      "completed_at", "cost", "inputs", -1 FROM "old_jobs"
  ) AS "moves"
  WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11
  HAVING sum("jobs") <> 0 OR sum("jobs" * "job_credits"("status", "cost")) <> 0 OR sum("jobs" * "job_characters"("type", "inputs")) <> 0
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_no_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "job_count";
  DELETE FROM "job_rollup";
  DELETE FROM "job_rollup_delta";
  DELETE FROM "job_rollup_backlog";
  RETURN NULL;
END $$;

-- Artifacts are recorded in the transaction that completes their job: their audio belongs to the completed ones, whichever statement
-- comes first.
CREATE FUNCTION "count_inserted_audio"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
BEGIN
  IF NOT EXISTS (SELECT FROM "new_artifacts" WHERE "duration_ms" <> 0) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("job_id") FROM "new_artifacts"));
  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "jobs",
    "credits", "characters", "audio_ms")
  SELECT j."account_id", mine, date_trunc('hour', j."created_at", 'UTC'), j."type", 'completed', "job_decision_of"(j."is_prohibited"),
    j."endpoint_key", j."api_key_id", 0, 0, 0, sum(a."duration_ms")
  FROM "new_artifacts" a JOIN "job" j ON j."id" = a."job_id"
  WHERE a."duration_ms" <> 0 AND (backlog."until" IS NULL OR j."id" <= backlog."filled_to" OR j."id" > backlog."until")
  GROUP BY 1, 3, 4, 6, 7, 8
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket") DO UPDATE SET "audio_ms" = d."audio_ms" + excluded."audio_ms";
  RETURN NULL;
END $$;

CREATE FUNCTION "count_deleted_audio"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
BEGIN
  IF NOT EXISTS (SELECT FROM "old_artifacts" WHERE "duration_ms" <> 0) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("job_id") FROM "old_artifacts"));
  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "jobs",
    "credits", "characters", "audio_ms")
  SELECT j."account_id", mine, date_trunc('hour', j."created_at", 'UTC'), j."type", 'completed', "job_decision_of"(j."is_prohibited"),
    j."endpoint_key", j."api_key_id", 0, 0, 0, -sum(a."duration_ms")
  FROM "old_artifacts" a JOIN "job" j ON j."id" = a."job_id"
  WHERE a."duration_ms" <> 0 AND (backlog."until" IS NULL OR j."id" <= backlog."filled_to" OR j."id" > backlog."until")
  GROUP BY 1, 3, 4, 6, 7, 8
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket") DO UPDATE SET "audio_ms" = d."audio_ms" + excluded."audio_ms";
  RETURN NULL;
END $$;

-- A cascade would delete them once their job cannot be seen any more, and with it what they were counted by.
CREATE FUNCTION "delete_artifacts_of_job"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "artifact" WHERE "job_id" = OLD."id";
  RETURN OLD;
END $$;

CREATE TRIGGER "artifact_count_insert" AFTER INSERT ON "artifact" REFERENCING NEW TABLE AS "new_artifacts" FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted_audio"();
CREATE TRIGGER "artifact_count_delete" AFTER DELETE ON "artifact" REFERENCING OLD TABLE AS "old_artifacts" FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted_audio"();
CREATE TRIGGER "job_delete_artifacts" BEFORE DELETE ON "job" FOR EACH ROW EXECUTE FUNCTION "delete_artifacts_of_job"();

-- No transaction writes jobs now, until this one ends, which is at once. So each job either is among
-- those up to the largest id, or will be counted by the new triggers.
INSERT INTO "job_rollup_backlog" ("filled_to", "until")
SELECT '', max("id") FROM "job" HAVING max("id") IS NOT NULL;
