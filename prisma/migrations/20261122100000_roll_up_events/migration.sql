-- What happened to jobs, each event by its own time: what a series of all jobs is read from, and percentiles by day, type and status. The
-- triggers note the hours of a job's start and end together with what they note for `job_rollup`, in the same rows; whatever folds those
-- rows, an older program included, takes them away, and a trigger adds them to `job_event`. Jobs from before this migration are added
-- page by page, once `job_rollup` has them all: as long as `job_event_backlog` has a row, `job_event` is not read.
ALTER TABLE "job_rollup_delta" ADD COLUMN "started" TIMESTAMPTZ(3), ADD COLUMN "ended" TIMESTAMPTZ(3),
  ADD COLUMN "in_events" BOOLEAN NOT NULL DEFAULT false;

-- concurrently
CREATE UNIQUE INDEX CONCURRENTLY "job_rollup_delta_events_key" ON "job_rollup_delta"("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events") NULLS NOT DISTINCT;

-- in one transaction
-- First of all, and in the order in which a worker that completes a job locks them. All that follows takes milliseconds.
LOCK TABLE "job", "artifact" IN SHARE ROW EXCLUSIVE MODE;

DROP INDEX "job_rollup_delta_key";

-- CreateEnum
CREATE TYPE "job_event_kind" AS ENUM ('accepted', 'started', 'dropped', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "job_event_breadth" AS ENUM ('all', 'type_status', 'each');

-- CreateTable
CREATE TABLE "job_event" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "breadth" "job_event_breadth" NOT NULL,
    "span" "job_rollup_span" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" "job_event_kind" NOT NULL,
    "type" "job_type",
    "status" "job_status",
    "decision" "job_decision",
    "endpoint_key" TEXT COLLATE "C",
    "api_key_id" TEXT COLLATE "C",
    "error_code" TEXT,
    "jobs" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL,
    "wait" BIGINT[] NOT NULL,
    "run" BIGINT[] NOT NULL
);

-- CreateTable
CREATE TABLE "job_event_backlog" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "filled_to" TEXT COLLATE "C" NOT NULL,
    "until" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "job_event_backlog_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "job_event_backlog" ADD CONSTRAINT "job_event_backlog_id_check" CHECK ("id" = 1);

-- CreateIndex
CREATE UNIQUE INDEX "job_event_key" ON "job_event"("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code") NULLS NOT DISTINCT;
-- What has come to nothing is found without reading the rest. Prisma's schema knows no partial indexes, nor does its comparison see them.
CREATE INDEX "job_event_empty_idx" ON "job_event"("account_id") WHERE "jobs" = 0;
ALTER TABLE "job_event" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- As "job_backlog", of the events. The triggers ask only where there is a backlog: none ever comes back.
CREATE FUNCTION "job_event_backlog"("oldest" TEXT) RETURNS "job_event_backlog" LANGUAGE plpgsql AS $$
DECLARE
  backlog "job_event_backlog";
BEGIN
  SELECT * INTO backlog FROM "job_event_backlog";
  IF backlog."until" IS NULL OR "oldest" > backlog."until" THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(7242005);
  SELECT * INTO backlog FROM "job_event_backlog";
  RETURN backlog;
END $$;

CREATE OR REPLACE FUNCTION "count_inserted_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
  backlog CONSTANT "job_rollup_backlog" := "job_backlog"((SELECT min("id") FROM "new_jobs"));
  uncounted "job_event_backlog";
BEGIN
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("id") FROM "new_jobs"));
  END IF;
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, count(*) FROM "new_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    date_trunc('hour', "started_at", 'UTC'), date_trunc('hour', "completed_at", 'UTC'),
    uncounted."until" IS NULL OR "id" <= uncounted."filled_to" OR "id" > uncounted."until",
    count(*), sum("job_credits"("status", "cost")), sum("job_characters"("type", "inputs")), 0
  FROM "new_jobs" WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_deleted_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
  backlog CONSTANT "job_rollup_backlog" := "job_backlog"((SELECT min("id") FROM "old_jobs"));
  uncounted "job_event_backlog";
BEGIN
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("id") FROM "old_jobs"));
  END IF;
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, -count(*) FROM "old_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    date_trunc('hour', "started_at", 'UTC'), date_trunc('hour', "completed_at", 'UTC'),
    uncounted."until" IS NULL OR "id" <= uncounted."filled_to" OR "id" > uncounted."until",
    -count(*), -sum("job_credits"("status", "cost")), -sum("job_characters"("type", "inputs")), 0
  FROM "old_jobs" WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_updated_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
  uncounted "job_event_backlog";
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
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("id") FROM "old_jobs"));
  END IF;

  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "decision", mine, sum("jobs") FROM (
    SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited") AS "decision", 1 AS "jobs" FROM "new_jobs"
    UNION ALL
    SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), -1 FROM "old_jobs"
  ) AS "moves"
  GROUP BY 1, 2, 3, 4 HAVING sum("jobs") <> 0
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    date_trunc('hour', "started_at", 'UTC'), date_trunc('hour', "completed_at", 'UTC'),
    uncounted."until" IS NULL OR "id" <= uncounted."filled_to" OR "id" > uncounted."until",
    sum("jobs"), sum("jobs" * "job_credits"("status", "cost")), sum("jobs" * "job_characters"("type", "inputs")), 0
  FROM (
    SELECT "id", "account_id", "created_at", "type", "status", "is_prohibited", "endpoint_key", "api_key_id", "error_code", "started_at",
      "completed_at", "cost", "inputs", 1 AS "jobs" FROM "new_jobs"
    UNION ALL
    SELECT "id", "account_id", "created_at", "type", "status", "is_prohibited", "endpoint_key", "api_key_id", "error_code", "started_at",
      "completed_at", "cost", "inputs", -1 FROM "old_jobs"
  ) AS "moves"
  WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  HAVING sum("jobs") <> 0 OR sum("jobs" * "job_credits"("status", "cost")) <> 0 OR sum("jobs" * "job_characters"("type", "inputs")) <> 0
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_inserted_audio"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
  uncounted "job_event_backlog";
BEGIN
  IF NOT EXISTS (SELECT FROM "new_artifacts" WHERE "duration_ms" <> 0) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("job_id") FROM "new_artifacts"));
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("job_id") FROM "new_artifacts"));
  END IF;
  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "ended",
    "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT j."account_id", mine, date_trunc('hour', j."created_at", 'UTC'), j."type", 'completed', "job_decision_of"(j."is_prohibited"),
    j."endpoint_key", j."api_key_id", date_trunc('hour', j."completed_at", 'UTC'),
    uncounted."until" IS NULL OR j."id" <= uncounted."filled_to" OR j."id" > uncounted."until", 0, 0, 0, sum(a."duration_ms")
  FROM "new_artifacts" a JOIN "job" j ON j."id" = a."job_id"
  WHERE a."duration_ms" <> 0 AND (backlog."until" IS NULL OR j."id" <= backlog."filled_to" OR j."id" > backlog."until")
  GROUP BY 1, 3, 4, 6, 7, 8, 9, 10
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "audio_ms" = d."audio_ms" + excluded."audio_ms";
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_deleted_audio"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
  uncounted "job_event_backlog";
BEGIN
  IF NOT EXISTS (SELECT FROM "old_artifacts" WHERE "duration_ms" <> 0) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("job_id") FROM "old_artifacts"));
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("job_id") FROM "old_artifacts"));
  END IF;
  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "ended",
    "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT j."account_id", mine, date_trunc('hour', j."created_at", 'UTC'), j."type", 'completed', "job_decision_of"(j."is_prohibited"),
    j."endpoint_key", j."api_key_id", date_trunc('hour', j."completed_at", 'UTC'),
    uncounted."until" IS NULL OR j."id" <= uncounted."filled_to" OR j."id" > uncounted."until", 0, 0, 0, -sum(a."duration_ms")
  FROM "old_artifacts" a JOIN "job" j ON j."id" = a."job_id"
  WHERE a."duration_ms" <> 0 AND (backlog."until" IS NULL OR j."id" <= backlog."filled_to" OR j."id" > backlog."until")
  GROUP BY 1, 3, 4, 6, 7, 8, 9, 10
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "audio_ms" = d."audio_ms" + excluded."audio_ms";
  RETURN NULL;
END $$;

-- What is folded: acceptances for all jobs and for each type and status ("job_rollup" has them by everything), other events for all
-- jobs and by everything; each by hour and by day. One process at a time folds.
CREATE FUNCTION "count_events"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM "old_deltas" WHERE "in_events") THEN
    RETURN NULL;
  END IF;
  INSERT INTO "job_event" AS e ("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "jobs", "audio_ms", "wait", "run")
  SELECT "account_id", "breadth", "span", "begins", "kind", "t", "s", "d", "ep", "k", "ec", sum("jobs"), sum("audio"),
    CASE WHEN count("w") = 0 THEN '{}' ELSE "job_histogram"(array_agg("w") FILTER (WHERE "w" IS NOT NULL)) END,
    CASE WHEN count("r") = 0 THEN '{}' ELSE "job_histogram"(array_agg("r") FILTER (WHERE "r" IS NOT NULL)) END
  FROM (
    SELECT o."account_id", b."breadth", p."span", date_trunc(p."span"::text, v."at", 'UTC') AS "begins", v."kind",
      CASE WHEN b."breadth" <> 'all' THEN o."type" END AS "t", CASE WHEN b."breadth" <> 'all' THEN o."status" END AS "s",
      CASE WHEN b."breadth" = 'each' THEN o."decision" END AS "d", CASE WHEN b."breadth" = 'each' THEN o."endpoint_key" END AS "ep",
      CASE WHEN b."breadth" = 'each' THEN o."api_key_id" END AS "k", CASE WHEN b."breadth" = 'each' THEN o."error_code" END AS "ec",
      o."jobs", CASE WHEN v."kind" = 'completed' THEN o."audio_ms" ELSE 0 END AS "audio",
      CASE WHEN o."jobs" <> 0 AND v."kind" IN ('accepted', 'started') THEN (o."wait_bucket"::bigint << 40) + o."jobs" END AS "w",
      CASE WHEN o."jobs" <> 0 AND v."kind" IN ('accepted', 'completed', 'failed') THEN (o."run_bucket"::bigint << 40) + o."jobs" END AS "r"
    FROM "old_deltas" o
    CROSS JOIN LATERAL (VALUES ('accepted'::"job_event_kind", o."at"), ('started', o."started"),
      ('dropped', CASE WHEN o."started" IS NULL AND o."jobs" <> 0 THEN o."ended" END),
      (CASE o."status" WHEN 'failed' THEN 'failed'::"job_event_kind" ELSE 'completed' END, o."ended")) v ("kind", "at")
    CROSS JOIN (VALUES ('all'::"job_event_breadth"), ('type_status'), ('each')) b ("breadth")
    CROSS JOIN (VALUES ('hour'::"job_rollup_span"), ('day')) p ("span")
    WHERE o."in_events" AND v."at" IS NOT NULL AND (b."breadth" = 'all' OR (b."breadth" = 'type_status') = (v."kind" = 'accepted'))
  ) AS "events"
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  HAVING sum("jobs") <> 0 OR sum("audio") <> 0 OR count("w") + count("r") <> 0
  ON CONFLICT ("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code")
    DO UPDATE SET "jobs" = e."jobs" + excluded."jobs", "audio_ms" = e."audio_ms" + excluded."audio_ms",
      "wait" = CASE WHEN excluded."wait" = '{}' THEN e."wait" ELSE "job_histogram"(e."wait" || excluded."wait") END,
      "run" = CASE WHEN excluded."run" = '{}' THEN e."run" ELSE "job_histogram"(e."run" || excluded."run") END;
  DELETE FROM "job_event" WHERE "jobs" = 0 AND "audio_ms" = 0 AND "wait" = '{}' AND "run" = '{}';
  RETURN NULL;
END $$;

CREATE TRIGGER "job_rollup_delta_fold" AFTER DELETE ON "job_rollup_delta" REFERENCING OLD TABLE AS "old_deltas" FOR EACH STATEMENT EXECUTE FUNCTION "count_events"();

CREATE OR REPLACE FUNCTION "count_no_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "job_count";
  DELETE FROM "job_rollup";
  DELETE FROM "job_rollup_delta";
  DELETE FROM "job_rollup_backlog";
  DELETE FROM "job_event";
  DELETE FROM "job_event_backlog";
  RETURN NULL;
END $$;

-- No transaction writes jobs now, until this one ends, which is at once. So each job either is among
-- those up to the largest id, or will be counted by the new triggers.
INSERT INTO "job_event_backlog" ("filled_to", "until")
SELECT '', max("id") FROM "job" HAVING max("id") IS NOT NULL;
