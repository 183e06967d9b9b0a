-- As migration.sql, for a database in use: no build holds a write.

-- concurrently
CREATE INDEX CONCURRENTLY "webhook_delivery_pending_id_idx" ON "webhook_delivery"("id") WHERE "state" = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS "webhook_delivery_next_attempt_at_id_idx";

-- in one transaction
ALTER TABLE "webhook_delivery" SET (fillfactor = 45);
ALTER TABLE "webhook_attempt" SET (fillfactor = 50);
