-- As migration.sql, for a database in use: no build holds a write.

-- concurrently
CREATE INDEX CONCURRENTLY "webhook_delivery_next_attempt_at_id_idx" ON "webhook_delivery"("next_attempt_at", "id") WHERE "state" = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS "webhook_delivery_state_next_attempt_at_idx";
CREATE INDEX CONCURRENTLY "webhook_delivery_finished_at_idx" ON "webhook_delivery"("finished_at") WHERE "finished_at" IS NOT NULL;
CREATE INDEX CONCURRENTLY "webhook_delivery_finished_at_body_idx" ON "webhook_delivery"("finished_at") WHERE "finished_at" IS NOT NULL AND "body" IS NOT NULL;
CREATE INDEX CONCURRENTLY "webhook_secret_expires_at_idx" ON "webhook_secret"("expires_at") WHERE "expires_at" IS NOT NULL;
