-- AlterTable
ALTER TABLE "user" ADD COLUMN "operator" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "session" ADD COLUMN "password_at" TIMESTAMPTZ(3);
