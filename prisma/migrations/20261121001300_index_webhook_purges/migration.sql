-- What is purged is found without reading what stays. Prisma's schema knows no partial indexes, nor does its comparison see them.

-- Finished deliveries wait for nothing: they need no place among those that do.
DROP INDEX "webhook_delivery_state_next_attempt_at_idx";
CREATE INDEX "webhook_delivery_next_attempt_at_id_idx" ON "webhook_delivery"("next_attempt_at", "id") WHERE "state" = 'pending';

CREATE INDEX "webhook_delivery_finished_at_idx" ON "webhook_delivery"("finished_at") WHERE "finished_at" IS NOT NULL;
CREATE INDEX "webhook_delivery_finished_at_body_idx" ON "webhook_delivery"("finished_at") WHERE "finished_at" IS NOT NULL AND "body" IS NOT NULL;
CREATE INDEX "webhook_secret_expires_at_idx" ON "webhook_secret"("expires_at") WHERE "expires_at" IS NOT NULL;
