-- AlterTable
ALTER TABLE "user" ADD COLUMN "last_seen_at" TIMESTAMPTZ(3);
