-- What callers name a row by. A number would tell them how much other accounts do. Rows from before this, and those that an older process
-- writes, have none: their names stay their numbers.
ALTER TABLE "credit_entry" ADD COLUMN "public_id" TEXT COLLATE "C";
ALTER TABLE "audit_entry" ADD COLUMN "public_id" TEXT COLLATE "C";
ALTER TABLE "webhook_secret" ADD COLUMN "public_id" TEXT COLLATE "C";

-- concurrently
-- Entries with one are of no job: they are in this partition.
CREATE INDEX CONCURRENTLY "credit_entry_default_public_id_idx" ON "credit_entry_default"("public_id") WHERE "public_id" IS NOT NULL;
CREATE UNIQUE INDEX CONCURRENTLY "audit_entry_public_id_key" ON "audit_entry"("public_id");
