-- Histograms as one number each, so that any grouping of them is a plain sum, which takes an eighth of the time that pairs of bucket and
-- jobs take to be unnested and grouped: the jobs of bucket b are its twelve digits from 10^(12 * b) on. Triggers write it from the pairs,
-- which older programs go on to read and write.

-- in one transaction
ALTER TABLE "job_rollup" ADD COLUMN "wait_sum" DECIMAL, ADD COLUMN "run_sum" DECIMAL;
ALTER TABLE "job_event" ADD COLUMN "wait_sum" DECIMAL, ADD COLUMN "run_sum" DECIMAL;

CREATE FUNCTION "job_histogram_sum"("pairs" BIGINT[]) RETURNS DECIMAL LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(sum((("pair" - ("bucket" << 40)) || 'e' || 12 * "bucket")::numeric), 0)
  FROM (SELECT "pair", ("pair" + (1::bigint << 39)) >> 40 AS "bucket" FROM unnest("pairs") AS "pair") AS "parts"
$$;

CREATE FUNCTION "sum_histograms"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."wait_sum" IS NULL OR NEW."wait" IS DISTINCT FROM OLD."wait" THEN
    NEW."wait_sum" := "job_histogram_sum"(NEW."wait");
  END IF;
  IF NEW."run_sum" IS NULL OR NEW."run" IS DISTINCT FROM OLD."run" THEN
    NEW."run_sum" := "job_histogram_sum"(NEW."run");
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "job_rollup_sum" BEFORE INSERT OR UPDATE ON "job_rollup" FOR EACH ROW EXECUTE FUNCTION "sum_histograms"();
CREATE TRIGGER "job_event_sum" BEFORE INSERT OR UPDATE ON "job_event" FOR EACH ROW EXECUTE FUNCTION "sum_histograms"();

-- in pages
-- By blocks of the table: rows that were written since are summed up already, wherever they lie.
WITH "page" AS (
  SELECT coalesce($1::text, '0')::bigint AS "block"
), "summed" AS (
  UPDATE "job_rollup" r SET "wait_sum" = NULL FROM "page" p
  WHERE r.ctid >= format('(%s,0)', p."block")::tid AND r.ctid < format('(%s,0)', p."block" + 100)::tid AND r."wait_sum" IS NULL
  RETURNING 1
)
SELECT CASE WHEN "block" * current_setting('block_size')::bigint < pg_relation_size('job_rollup') THEN ("block" + 100)::text END AS "cursor",
  (SELECT count(*) FROM "summed") AS "rows"
FROM "page";

-- in pages
WITH "page" AS (
  SELECT coalesce($1::text, '0')::bigint AS "block"
), "summed" AS (
  UPDATE "job_event" e SET "wait_sum" = NULL FROM "page" p
  WHERE e.ctid >= format('(%s,0)', p."block")::tid AND e.ctid < format('(%s,0)', p."block" + 100)::tid AND e."wait_sum" IS NULL
  RETURNING 1
)
SELECT CASE WHEN "block" * current_setting('block_size')::bigint < pg_relation_size('job_event') THEN ("block" + 100)::text END AS "cursor",
  (SELECT count(*) FROM "summed") AS "rows"
FROM "page";
