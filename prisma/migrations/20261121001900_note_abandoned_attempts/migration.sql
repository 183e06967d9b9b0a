-- CreateTable
CREATE TABLE "abandoned_attempt" (
    "job_id" TEXT COLLATE "C" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "abandoned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "abandoned_attempt_pkey" PRIMARY KEY ("job_id","attempt")
);

-- CreateIndex
CREATE INDEX "abandoned_attempt_abandoned_at_idx" ON "abandoned_attempt"("abandoned_at");

-- Whatever files an attempt has stored are of no use once another one follows it, or the job has failed: it can complete nothing any more.
-- Noted here, no way to either is forgotten; and in the same transaction, no crash comes between.
CREATE FUNCTION "note_abandoned_attempt"() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "abandoned_attempt" ("job_id", "attempt") VALUES (OLD."id", OLD."attempt") ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER "job_abandons_attempt" AFTER UPDATE OF "attempt", "status" ON "job" FOR EACH ROW
WHEN (OLD."attempt" > 0 AND (NEW."attempt" > OLD."attempt" OR (NEW."status" = 'failed' AND OLD."status" <> 'failed')))
EXECUTE FUNCTION "note_abandoned_attempt"();
