-- How many deliveries of an account are in each state, without counting them: kept by triggers as the counters of jobs are, in the same
-- shards. Deliveries from before this migration are counted page by page: until then they are marked as not counted.

-- CreateTable
CREATE TABLE "webhook_delivery_count" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "state" "webhook_delivery_state" NOT NULL,
    "shard" INTEGER NOT NULL,
    "deliveries" BIGINT NOT NULL,

    CONSTRAINT "webhook_delivery_count_pkey" PRIMARY KEY ("account_id","state","shard")
);
ALTER TABLE "webhook_delivery_count" SET (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0
);

-- No row is rewritten: those that there are have the first default, new ones the second.
ALTER TABLE "webhook_delivery" ADD COLUMN "counted" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "webhook_delivery" ALTER COLUMN "counted" SET DEFAULT true;

CREATE FUNCTION "count_inserted_deliveries"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
BEGIN
  INSERT INTO "webhook_delivery_count" AS c ("account_id", "state", "shard", "deliveries")
  SELECT "account_id", "state", mine, count(*) FROM "new_deliveries" WHERE "counted" GROUP BY 1, 2
  ON CONFLICT ("account_id", "state", "shard") DO UPDATE SET "deliveries" = c."deliveries" + excluded."deliveries";
  RETURN NULL;
END $$;

CREATE FUNCTION "count_deleted_deliveries"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
BEGIN
  INSERT INTO "webhook_delivery_count" AS c ("account_id", "state", "shard", "deliveries")
  SELECT "account_id", "state", mine, -count(*) FROM "old_deliveries" WHERE "counted" GROUP BY 1, 2
  ON CONFLICT ("account_id", "state", "shard") DO UPDATE SET "deliveries" = c."deliveries" + excluded."deliveries";
  RETURN NULL;
END $$;

-- Beginning an attempt moves nothing: then nothing is written.
CREATE FUNCTION "count_updated_deliveries"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
BEGIN
  IF NOT EXISTS (
    SELECT FROM "old_deliveries" o JOIN "new_deliveries" n ON n."id" = o."id"
    WHERE (o."state", o."counted") IS DISTINCT FROM (n."state", n."counted")
  ) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  INSERT INTO "webhook_delivery_count" AS c ("account_id", "state", "shard", "deliveries")
  SELECT "account_id", "state", mine, sum("deliveries") FROM (
    SELECT "account_id", "state", 1 AS "deliveries" FROM "new_deliveries" WHERE "counted"
    UNION ALL
    SELECT "account_id", "state", -1 FROM "old_deliveries" WHERE "counted"
  ) AS "moves"
  GROUP BY 1, 2 HAVING sum("deliveries") <> 0
  ON CONFLICT ("account_id", "state", "shard") DO UPDATE SET "deliveries" = c."deliveries" + excluded."deliveries";
  RETURN NULL;
END $$;

CREATE FUNCTION "count_no_deliveries"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "webhook_delivery_count";
  RETURN NULL;
END $$;

CREATE TRIGGER "webhook_delivery_count_insert" AFTER INSERT ON "webhook_delivery" REFERENCING NEW TABLE AS "new_deliveries" FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted_deliveries"();
CREATE TRIGGER "webhook_delivery_count_update" AFTER UPDATE ON "webhook_delivery" REFERENCING OLD TABLE AS "old_deliveries" NEW TABLE AS "new_deliveries" FOR EACH STATEMENT EXECUTE FUNCTION "count_updated_deliveries"();
CREATE TRIGGER "webhook_delivery_count_delete" AFTER DELETE ON "webhook_delivery" REFERENCING OLD TABLE AS "old_deliveries" FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted_deliveries"();
CREATE TRIGGER "webhook_delivery_count_truncate" AFTER TRUNCATE ON "webhook_delivery" FOR EACH STATEMENT EXECUTE FUNCTION "count_no_deliveries"();

-- concurrently
-- Only failed deliveries are in it: all others write nothing here. Prisma's schema knows no partial indexes, nor does its comparison see them.
CREATE INDEX CONCURRENTLY "webhook_delivery_failed_idx" ON "webhook_delivery"("account_id", "id" DESC) WHERE "state" = 'failed';

-- in pages
-- Waits for no worker, and no worker for it: a page ends before the first row that another transaction has locked.
WITH page AS (
  SELECT "id" FROM "webhook_delivery" WHERE "id" > coalesce($1, '') ORDER BY "id" LIMIT 1000
), locked AS (
  SELECT "id" FROM "webhook_delivery" WHERE "id" = ANY(ARRAY(SELECT "id" FROM page)) FOR UPDATE SKIP LOCKED
), done AS (
  SELECT "id" FROM page WHERE "id" < coalesce((SELECT min("id") FROM page WHERE "id" NOT IN (SELECT "id" FROM locked)), '~')
), marked AS (
  UPDATE "webhook_delivery" SET "counted" = true WHERE "id" = ANY(ARRAY(SELECT "id" FROM done)) AND NOT "counted" RETURNING 1
)
SELECT coalesce((SELECT max("id") FROM done), CASE WHEN EXISTS (SELECT FROM page) THEN coalesce($1, '') END) AS "cursor",
  (SELECT count(*) FROM done) AS "rows"
