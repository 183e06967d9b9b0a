-- What became of attempts that did not end their jobs. A job that ends with its first attempt has no row here, and costs no statement more
-- than before. Without a foreign key: adding one would hold writes to "job", and deleting a job deletes its rows in the same transaction.

-- CreateTable
CREATE TABLE "job_attempt" (
    "job_id" TEXT COLLATE "C" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "ending" TEXT,
    "worker" TEXT,
    "cause" TEXT,

    CONSTRAINT "job_attempt_pkey" PRIMARY KEY ("job_id","attempt")
);

-- Of the trigger "job_abandons_attempt", as before; where another attempt follows, that one's start is noted, too, and the end of this one,
-- unless what put the job back has noted it: its worker died before it could, or is of an older version. The newest 50 are kept.
CREATE OR REPLACE FUNCTION "note_abandoned_attempt"() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "abandoned_attempt" ("job_id", "attempt") VALUES (OLD."id", OLD."attempt") ON CONFLICT DO NOTHING;
  IF NEW."attempt" > OLD."attempt" AND NEW."status" = 'processing' THEN
    INSERT INTO "job_attempt" AS a ("job_id", "attempt", "started_at", "ended_at", "ending")
    VALUES (OLD."id", OLD."attempt", CASE WHEN OLD."attempt" = 1 THEN OLD."started_at" END, greatest(now(), OLD."started_at"), 'unknown')
    ON CONFLICT ("job_id", "attempt") DO UPDATE SET "ended_at" = greatest(excluded."ended_at", a."started_at"), "ending" = 'unknown'
      WHERE a."ended_at" IS NULL;
    -- A claim that had to wait is older than what it waited for.
    INSERT INTO "job_attempt" ("job_id", "attempt", "started_at")
    SELECT NEW."id", NEW."attempt", greatest(now(), NEW."created_at", a."ended_at")
    FROM "job_attempt" a WHERE a."job_id" = OLD."id" AND a."attempt" = OLD."attempt"
    ON CONFLICT DO NOTHING;
    DELETE FROM "job_attempt" WHERE "job_id" = NEW."id" AND "attempt" <= NEW."attempt" - 50;
  END IF;
  RETURN NULL;
END
$$;
