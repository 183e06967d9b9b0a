-- As migration.sql, for a database in use: the same schema, step by step, and no write waits for longer than a trigger takes to make.

-- in one transaction

-- CreateEnum
CREATE TYPE "job_decision" AS ENUM ('none', 'pass', 'reject');

-- CreateTable
CREATE TABLE "job_count" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "type" "job_type" NOT NULL,
    "status" "job_status" NOT NULL,
    "decision" "job_decision" NOT NULL,
    "shard" INTEGER NOT NULL,
    "jobs" BIGINT NOT NULL,

    CONSTRAINT "job_count_pkey" PRIMARY KEY ("account_id","type","status","decision","shard")
);

-- A few rows, written over and over: they stay in their pages and are swept early.
ALTER TABLE "job_count" SET (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0
);

-- The shard that this transaction writes, until its end, alone. Transactions that shared one would wait for each other, and with the
-- locks on accounts and jobs that they hold besides, some of them for ever: so nobody waits. The first free one of 16 is taken,
-- beginning with the connection's own; when all are taken, one that no other connection has.
CREATE FUNCTION "job_count_shard"() RETURNS INTEGER LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 0..15 LOOP
    IF pg_try_advisory_xact_lock(7242002, (pg_backend_pid() + i) % 16) THEN
      RETURN (pg_backend_pid() + i) % 16;
    END IF;
  END LOOP;
  RETURN 16 + pg_backend_pid();
END $$;

CREATE FUNCTION "job_decision_of"("is_prohibited" BOOLEAN) RETURNS "job_decision" LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE "is_prohibited" WHEN true THEN 'reject'::"job_decision" WHEN false THEN 'pass' ELSE 'none' END
$$;

CREATE FUNCTION "count_inserted_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
BEGIN
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, count(*) FROM "new_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";
  RETURN NULL;
END $$;

CREATE FUNCTION "count_deleted_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
BEGIN
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, -count(*) FROM "old_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";
  RETURN NULL;
END $$;

-- What moved between two counts; nothing is written for an update that leaves a job where it was.
CREATE FUNCTION "count_updated_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  mine INTEGER;
  move RECORD;
BEGIN
  FOR move IN
    SELECT "account_id", "type", "status", "decision", sum("jobs") AS "jobs" FROM (
      SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited") AS "decision", 1 AS "jobs" FROM "new_jobs"
      UNION ALL
      SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), -1 FROM "old_jobs"
    ) AS "moves"
    GROUP BY 1, 2, 3, 4 HAVING sum("jobs") <> 0
  LOOP
    mine := coalesce(mine, "job_count_shard"());
    INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
    VALUES (move."account_id", move."type", move."status", move."decision", mine, move."jobs")
    ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";
  END LOOP;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_no_jobs"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "job_count";
  RETURN NULL;
END $$;

CREATE TRIGGER "job_count_insert" AFTER INSERT ON "job" REFERENCING NEW TABLE AS "new_jobs" FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted_jobs"();
CREATE TRIGGER "job_count_update" AFTER UPDATE ON "job" REFERENCING OLD TABLE AS "old_jobs" NEW TABLE AS "new_jobs" FOR EACH STATEMENT EXECUTE FUNCTION "count_updated_jobs"();
CREATE TRIGGER "job_count_delete" AFTER DELETE ON "job" REFERENCING OLD TABLE AS "old_jobs" FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted_jobs"();
CREATE TRIGGER "job_count_truncate" AFTER TRUNCATE ON "job" FOR EACH STATEMENT EXECUTE FUNCTION "count_no_jobs"();

-- in one transaction
-- The triggers count what is written since then. What they have counted and what is there are seen as of one moment, so their difference
-- is what was there before, in a shard that no trigger writes: run again, it adds nothing.
INSERT INTO "job_count" ("account_id", "type", "status", "decision", "shard", "jobs")
SELECT "account_id", "type", "status", "decision", -1, sum("jobs") FROM (
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited") AS "decision", count(*) AS "jobs" FROM "job" GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT "account_id", "type", "status", "decision", -sum("jobs") FROM "job_count" GROUP BY 1, 2, 3, 4
) AS "uncounted" GROUP BY 1, 2, 3, 4 HAVING sum("jobs") <> 0;

-- concurrently
CREATE INDEX CONCURRENTLY "job_account_id_status_id_idx" ON "job"("account_id", "status", "id" DESC);
CREATE INDEX CONCURRENTLY "job_account_id_type_id_idx" ON "job"("account_id", "type", "id" DESC);
CREATE INDEX CONCURRENTLY "job_account_id_api_key_id_id_idx" ON "job"("account_id", "api_key_id", "id" DESC);
CREATE INDEX CONCURRENTLY "job_account_id_is_prohibited_id_idx" ON "job"("account_id", "is_prohibited", "id" DESC) WHERE "is_prohibited" IS NOT NULL;
