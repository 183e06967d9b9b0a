-- Beginning an attempt writes nothing to an index any more: what is pending is found by its ids, and its row has room on its page for the
-- version that follows. Prisma's schema knows no partial indexes.
DROP INDEX "webhook_delivery_next_attempt_at_id_idx";
CREATE INDEX "webhook_delivery_pending_id_idx" ON "webhook_delivery"("id") WHERE "state" = 'pending';

-- Every delivery is updated twice and every attempt once, soon after they were made.
ALTER TABLE "webhook_delivery" SET (fillfactor = 45);
ALTER TABLE "webhook_attempt" SET (fillfactor = 50);
