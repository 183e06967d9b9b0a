-- AlterTable
ALTER TABLE "artifact" ADD COLUMN "captions" TEXT[], ADD COLUMN "timing" BYTEA;

-- AlterTable
ALTER TABLE "voice_endpoint" ADD COLUMN "captions" JSONB;
