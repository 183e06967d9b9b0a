-- Up to when an account's jobs were last read by a window of time (src/jobs/list/close-job-window.ts).
CREATE TABLE "job_horizon" (
  "account_id" TEXT COLLATE "C" NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "job_horizon_pkey" PRIMARY KEY ("account_id")
);

-- Fails the insertion of a job whose time lies in a window that was read already, or that nobody waits for any more. '*' stands for all
-- accounts. Times ahead of the clock were written before it was set back: they say nothing.
CREATE FUNCTION "refuse_late_job"("account" TEXT, "made" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  IF "made" < clock_timestamp() - interval '30 seconds' OR EXISTS (
    SELECT FROM "job_horizon" WHERE "account_id" IN ("account", '*') AND "at" > "made" AND "at" <= clock_timestamp()
  ) THEN
    RAISE EXCEPTION 'a job of % comes late', "made" USING ERRCODE = 'SN001';
  END IF;
END $$;

-- An entry's time is that of its writing, under the lock of its account: entries are then in the order of their times, and none is older
-- than the lock of its table.
ALTER TABLE "credit_entry" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();
ALTER TABLE "audit_entry" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();
