-- Every event by type and status as well, not acceptances alone: a series of one type then reads a row for each hour, type and status,
-- a tenth of those by everything. Older programs go on to read what they read before.

-- in one transaction
-- What is folded: acceptances for all jobs and for each type and status ("job_rollup" has them by everything), other events by everything
-- as well; each by hour and by day. One process at a time folds.
CREATE OR REPLACE FUNCTION "count_events"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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
    WHERE o."in_events" AND v."at" IS NOT NULL AND (b."breadth" <> 'each' OR v."kind" <> 'accepted')
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

-- Sums up by type and status what is there by everything, of one account, 20,000 rows at a time. What folds meanwhile, with this
-- lock, may have added to some of it already, so that sums take the place of what was there. Returns where the next page begins; null: there is none.
CREATE FUNCTION "sum_types"("after" JSONB, OUT "cursor" JSONB, OUT "rows" BIGINT) LANGUAGE plpgsql AS $$
DECLARE
  mine RECORD;
  ends TIMESTAMPTZ;
BEGIN
  "rows" := 0;
  PERFORM pg_advisory_xact_lock(7242004);
  SELECT "account_id", "span", "at" INTO mine FROM "job_event"
  WHERE "breadth" = 'each' AND ("account_id", "breadth", "span", "at") >= (coalesce("after"->>'account', ''), 'each'::"job_event_breadth",
    coalesce("after"->>'span', 'hour')::"job_rollup_span", coalesce("after"->>'at', '-infinity')::timestamptz)
  ORDER BY "account_id", "breadth", "span", "at" LIMIT 1;
  IF NOT FOUND THEN
    -- What was folded meanwhile of events that have come to nothing.
    DELETE FROM "job_event" t WHERE t."breadth" = 'type_status' AND t."kind" <> 'accepted' AND NOT EXISTS (
      SELECT FROM "job_event" e WHERE e."account_id" = t."account_id" AND e."breadth" = 'each' AND e."span" = t."span" AND e."at" = t."at"
        AND e."kind" = t."kind" AND e."type" = t."type" AND e."status" = t."status");
    RETURN;
  END IF;
  SELECT "at" INTO ends FROM "job_event"
  WHERE "account_id" = mine."account_id" AND "breadth" = 'each' AND "span" = mine."span" AND "at" > mine."at"
  ORDER BY "at" OFFSET 20000 LIMIT 1;
  ends := coalesce(ends, 'infinity');
  DELETE FROM "job_event" WHERE "account_id" = mine."account_id" AND "breadth" = 'type_status' AND "span" = mine."span"
    AND "at" >= mine."at" AND "at" < ends AND "kind" <> 'accepted';
  INSERT INTO "job_event" ("account_id", "breadth", "span", "at", "kind", "type", "status", "jobs", "audio_ms", "wait", "run")
  SELECT mine."account_id", 'type_status', mine."span", e."at", e."kind", e."type", e."status", sum(v."jobs"), sum(v."audio_ms"),
    CASE WHEN count(v."wait") = 0 THEN '{}' ELSE "job_histogram"(array_agg(v."wait") FILTER (WHERE v."wait" IS NOT NULL)) END,
    CASE WHEN count(v."run") = 0 THEN '{}' ELSE "job_histogram"(array_agg(v."run") FILTER (WHERE v."run" IS NOT NULL)) END
  FROM "job_event" e CROSS JOIN LATERAL (
    SELECT e."jobs", e."audio_ms", NULL::bigint AS "wait", NULL::bigint AS "run"
    UNION ALL SELECT 0, 0, "pair", NULL FROM unnest(e."wait") AS "pair"
    UNION ALL SELECT 0, 0, NULL, "pair" FROM unnest(e."run") AS "pair") v
  WHERE e."account_id" = mine."account_id" AND e."breadth" = 'each' AND e."span" = mine."span" AND e."at" >= mine."at"
    AND e."at" < ends
  GROUP BY e."at", e."kind", e."type", e."status"
  HAVING sum(v."jobs") <> 0 OR sum(v."audio_ms") <> 0 OR count(v."wait") + count(v."run") <> 0;
  GET DIAGNOSTICS "rows" = ROW_COUNT;
  "cursor" := jsonb_build_object('account', mine."account_id", 'span', mine."span", 'at', ends);
END $$;

-- in pages
SELECT "cursor"::text, "rows" FROM "sum_types"($1::text::jsonb);

-- in one transaction
DROP FUNCTION "sum_types"(JSONB);
