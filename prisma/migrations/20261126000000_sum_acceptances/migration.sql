-- Acceptances have the credits, characters and audio of their jobs as well, for all jobs and by type and status: `jobStats` by hour then reads
-- a row for each hour, and not one for each key, endpoint and error code in it. Of an acceptance `audio_ms` is what its jobs made
-- whenever that was; of a completion it stays what was completed then. Older programs read neither of these sums, and whatever they note
-- or fold passes through the trigger below.

-- in one transaction
ALTER TABLE "job_event" ADD COLUMN "credits" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "characters" BIGINT NOT NULL DEFAULT 0;

-- What is folded: acceptances for all jobs and for each type and status ("job_rollup" has them by everything), other events by everything
-- as well; each by hour and by day. One process at a time folds.
CREATE OR REPLACE FUNCTION "count_events"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM "old_deltas" WHERE "in_events") THEN
    RETURN NULL;
  END IF;
  INSERT INTO "job_event" AS e ("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "jobs", "credits", "characters", "audio_ms", "wait", "run")
  SELECT "account_id", "breadth", "span", "begins", "kind", "t", "s", "d", "ep", "k", "ec", sum("jobs"), sum("paid"), sum("said"), sum("audio"),
    CASE WHEN count("w") = 0 THEN '{}' ELSE "job_histogram"(array_agg("w") FILTER (WHERE "w" IS NOT NULL)) END,
    CASE WHEN count("r") = 0 THEN '{}' ELSE "job_histogram"(array_agg("r") FILTER (WHERE "r" IS NOT NULL)) END
  FROM (
    SELECT o."account_id", b."breadth", p."span", date_trunc(p."span"::text, v."at", 'UTC') AS "begins", v."kind",
      CASE WHEN b."breadth" <> 'all' THEN o."type" END AS "t", CASE WHEN b."breadth" <> 'all' THEN o."status" END AS "s",
      CASE WHEN b."breadth" = 'each' THEN o."decision" END AS "d", CASE WHEN b."breadth" = 'each' THEN o."endpoint_key" END AS "ep",
      CASE WHEN b."breadth" = 'each' THEN o."api_key_id" END AS "k", CASE WHEN b."breadth" = 'each' THEN o."error_code" END AS "ec",
      o."jobs", CASE WHEN v."kind" = 'accepted' THEN o."credits" ELSE 0 END AS "paid",
      CASE WHEN v."kind" = 'accepted' THEN o."characters" ELSE 0 END AS "said",
      CASE WHEN v."kind" IN ('accepted', 'completed') THEN o."audio_ms" ELSE 0 END AS "audio",
      CASE WHEN o."jobs" <> 0 AND v."kind" IN ('accepted', 'started') THEN (o."wait_bucket"::bigint << 40) + o."jobs" END AS "w",
      CASE WHEN o."jobs" <> 0 AND v."kind" IN ('accepted', 'completed', 'failed') THEN (o."run_bucket"::bigint << 40) + o."jobs" END AS "r"
    FROM "old_deltas" o
    CROSS JOIN LATERAL (VALUES ('accepted'::"job_event_kind", o."at"), ('started', o."started"),
      ('dropped', CASE WHEN o."started" IS NULL AND o."jobs" <> 0 THEN o."ended" END),
      (CASE o."status" WHEN 'failed' THEN 'failed'::"job_event_kind" ELSE 'completed' END, o."ended")) v ("kind", "at")
    CROSS JOIN (VALUES ('all'::"job_event_breadth"), ('type_status'), ('each')) b ("breadth")
    CROSS JOIN (VALUES ('hour'::"job_rollup_span"), ('day')) p ("span")
    WHERE o."in_events" AND v."at" IS NOT NULL AND (b."breadth" <> 'each' OR v."kind" <> 'accepted')
  ) AS "events"
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  HAVING sum("jobs") <> 0 OR sum("paid") <> 0 OR sum("said") <> 0 OR sum("audio") <> 0 OR count("w") + count("r") <> 0
  ON CONFLICT ("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code")
    DO UPDATE SET "jobs" = e."jobs" + excluded."jobs", "credits" = e."credits" + excluded."credits",
      "characters" = e."characters" + excluded."characters", "audio_ms" = e."audio_ms" + excluded."audio_ms",
      "wait" = CASE WHEN excluded."wait" = '{}' THEN e."wait" ELSE "job_histogram"(e."wait" || excluded."wait") END,
      "run" = CASE WHEN excluded."run" = '{}' THEN e."run" ELSE "job_histogram"(e."run" || excluded."run") END;
  DELETE FROM "job_event" WHERE "jobs" = 0 AND "credits" = 0 AND "characters" = 0 AND "audio_ms" = 0 AND "wait" = '{}' AND "run" = '{}';
  RETURN NULL;
END $$;

-- "job_event" and "job_rollup" are to have the same acceptances. While jobs from before the events are being added to these, nothing reads
-- "job_event", and what of it is added already cannot be told from the sums of "job_rollup": all of it is added anew. Once all are added,
-- what was noted of them before, and is still to be folded, reaches "job_rollup" alone: its sums are noted for both, without jobs.
CREATE FUNCTION "settle_events"() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7242004);
  IF NOT EXISTS (SELECT FROM "job_event_backlog") THEN
    -- In a shard that no transaction writes.
    INSERT INTO "job_rollup_delta" ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code",
      "in_events", "jobs", "credits", "characters", "audio_ms")
    SELECT "account_id", 16, "at", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", true, 0, sum("credits"),
      sum("characters"), sum("audio_ms")
    FROM "job_rollup_delta" WHERE NOT "in_events" GROUP BY 1, 3, 4, 5, 6, 7, 8, 9;
    UPDATE "job_rollup_delta" SET "credits" = 0, "characters" = 0, "audio_ms" = 0 WHERE NOT "in_events";
    RETURN;
  END IF;
  IF NOT EXISTS (SELECT FROM "job_event_backlog" WHERE "filled_to" <> '' OR EXISTS (SELECT FROM "job_event")) THEN
    RETURN;
  END IF;
  -- So that each job either is among those up to the largest id, or is noted afterwards.
  LOCK TABLE "job", "artifact" IN SHARE ROW EXCLUSIVE MODE;
  UPDATE "job_event_backlog" SET "filled_to" = '', "until" = coalesce((SELECT max("id") FROM "job"), '');
  WITH "noted" AS (
    DELETE FROM "job_rollup_delta" WHERE "in_events" RETURNING *
  )
  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket", "run_bucket",
    "started", "ended", false, "jobs", "credits", "characters", "audio_ms" FROM "noted"
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters", "audio_ms" = d."audio_ms" + excluded."audio_ms";
  DELETE FROM "job_event";
END $$;

-- Takes the sums of "job_rollup" over, account by account: what folds waits for it, and no other write does. Sums take the place of what
-- was there, as what was folded since the trigger has these columns is in "job_rollup", too; where that has nothing any more, they are none.
CREATE FUNCTION "sum_acceptances"("after" TEXT, OUT "cursor" TEXT, OUT "rows" BIGINT) LANGUAGE plpgsql AS $$
BEGIN
  "rows" := 0;
  PERFORM pg_advisory_xact_lock(7242004);
  IF EXISTS (SELECT FROM "job_event_backlog") THEN
    RETURN;
  END IF;
  SELECT min("id") INTO "cursor" FROM "account" WHERE "id" > coalesce("after", '');
  UPDATE "job_event" e SET "credits" = 0, "characters" = 0, "audio_ms" = 0
  WHERE e."account_id" = "cursor" AND e."kind" = 'accepted' AND (e."credits" <> 0 OR e."characters" <> 0 OR e."audio_ms" <> 0)
    AND NOT EXISTS (SELECT FROM "job_rollup" r WHERE r."account_id" = e."account_id" AND r."span" = e."span" AND r."at" = e."at"
      AND (e."breadth" = 'all' OR r."type" = e."type" AND r."status" = e."status"));
  INSERT INTO "job_event" AS e ("account_id", "breadth", "span", "at", "kind", "type", "status", "jobs", "credits", "characters", "audio_ms",
    "wait", "run")
  SELECT r."account_id", b."breadth", r."span", r."at", 'accepted', CASE WHEN b."breadth" <> 'all' THEN r."type" END,
    CASE WHEN b."breadth" <> 'all' THEN r."status" END, 0, sum(r."credits"), sum(r."characters"), sum(r."audio_ms"), '{}', '{}'
  FROM "job_rollup" r CROSS JOIN (VALUES ('all'::"job_event_breadth"), ('type_status')) b ("breadth")
  WHERE r."account_id" = "cursor" AND r."span" <> 'all'
  GROUP BY 1, 2, 3, 4, 6, 7
  ON CONFLICT ("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code")
    DO UPDATE SET "credits" = excluded."credits", "characters" = excluded."characters", "audio_ms" = excluded."audio_ms";
  GET DIAGNOSTICS "rows" = ROW_COUNT;
  DELETE FROM "job_event" WHERE "account_id" = "cursor" AND "jobs" = 0 AND "credits" = 0 AND "characters" = 0 AND "audio_ms" = 0
    AND "wait" = '{}' AND "run" = '{}';
END $$;

-- in one transaction
-- Most of them before jobs are locked.
DELETE FROM "job_event" WHERE EXISTS (SELECT FROM "job_event_backlog");

-- in one transaction
SELECT "settle_events"();

-- in pages
SELECT "cursor", "rows" FROM "sum_acceptances"($1::text);

-- in one transaction
DROP FUNCTION "settle_events"();
DROP FUNCTION "sum_acceptances"(TEXT);
