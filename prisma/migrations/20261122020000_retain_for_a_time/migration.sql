-- What may be deleted once it is old: audio is noted as deleted, the ledger of deleted jobs is carried on by month, and chats know when
-- they were last used. Chats from before this migration count from it.
ALTER TYPE "credit_kind" ADD VALUE 'carried';
ALTER TABLE "artifact" ADD COLUMN "deleted_at" TIMESTAMPTZ(3);
ALTER TABLE "companion_chat" ADD COLUMN "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- A new value of an enumeration cannot be named in the transaction that makes it.
ALTER TABLE "credit_entry" DROP CONSTRAINT "credit_entry_job_id_check";
ALTER TABLE "credit_entry" ADD CONSTRAINT "credit_entry_job_id_check" CHECK ("kind" NOT IN ('charge', 'refund') OR "job_id" IS NOT NULL) NOT VALID;

-- How far a purge has come, so that the next one does not read again what is gone.
CREATE TABLE "retention_progress" (
    "what" TEXT NOT NULL,
    "done_to" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "retention_progress_pkey" PRIMARY KEY ("what")
);

-- concurrently
ALTER TABLE "credit_entry" VALIDATE CONSTRAINT "credit_entry_job_id_check";

CREATE INDEX CONCURRENTLY "companion_chat_updated_at_idx" ON "companion_chat"("updated_at");

-- One entry for an account and a month. Prisma's schema knows no partial indexes, nor does its comparison see them.
CREATE UNIQUE INDEX CONCURRENTLY "credit_entry_carried_key" ON "credit_entry"("account_id", "created_at") WHERE "kind" = 'carried';
