-- The ids that callers see. Numbers of one sequence would tell each account how much the others do. A row that an earlier release wrote, or
-- an older process writes during the upgrade, has none: callers see its number.
ALTER TABLE "credit_entry" ADD COLUMN "public_id" TEXT COLLATE "C";
ALTER TABLE "audit_entry" ADD COLUMN "public_id" TEXT COLLATE "C";
ALTER TABLE "webhook_secret" ADD COLUMN "public_id" TEXT COLLATE "C";

-- concurrently
-- Only entries without a job have one, and this partition holds all of them.
CREATE INDEX CONCURRENTLY "credit_entry_default_public_id_idx" ON "credit_entry_default"("public_id") WHERE "public_id" IS NOT NULL;
CREATE UNIQUE INDEX CONCURRENTLY "audit_entry_public_id_key" ON "audit_entry"("public_id");
