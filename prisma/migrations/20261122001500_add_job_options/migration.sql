-- AlterTable
ALTER TABLE "job" ADD COLUMN "options" JSONB, ADD COLUMN "parts_done" INTEGER;

-- AlterTable
ALTER TABLE "voice_endpoint" ADD COLUMN "audio" JSONB, ADD COLUMN "openai" JSONB;

-- CreateTable
CREATE TABLE "heard_attempt" (
    "job_id" TEXT COLLATE "C" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "heard_attempt_pkey" PRIMARY KEY ("job_id","attempt")
);

-- CreateIndex
CREATE INDEX "heard_attempt_completed_at_idx" ON "heard_attempt"("completed_at");

-- The parts of a completed job, which listeners read while it was spoken, are of no use once they have read them. Those of attempts that
-- completed nothing are in abandoned_attempt.
CREATE FUNCTION "note_heard_attempt"() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "heard_attempt" ("job_id", "attempt") VALUES (NEW."id", NEW."attempt") ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER "job_was_heard" AFTER UPDATE OF "status" ON "job" FOR EACH ROW
WHEN (NEW."parts_done" IS NOT NULL AND NEW."status" = 'completed' AND OLD."status" <> 'completed')
EXECUTE FUNCTION "note_heard_attempt"();
