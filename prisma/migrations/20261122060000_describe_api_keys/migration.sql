-- AlterTable
ALTER TABLE "api_key" ADD COLUMN "hint" TEXT,
ADD COLUMN "expires_at" TIMESTAMPTZ(3),
ADD COLUMN "created_by_id" TEXT COLLATE "C";

-- AddForeignKey: every row is new to it, and null
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;
