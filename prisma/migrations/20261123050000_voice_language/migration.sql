-- AlterTable
ALTER TABLE "voice" ADD COLUMN "language" TEXT;
