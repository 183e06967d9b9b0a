-- Where callers reach the API: what no process knows but the one that listens.
ALTER TABLE "installation" ADD COLUMN "public_url" TEXT;

-- A redelivery waits without content, its timestamp 0, until a worker freezes it.
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_body_check";
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_body_check" CHECK ("state" <> 'pending' OR "body" IS NOT NULL OR "timestamp" = 0);
