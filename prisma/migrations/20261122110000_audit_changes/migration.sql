-- AlterTable
ALTER TABLE "api_key" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "job" ADD COLUMN "user_id" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT COLLATE "C",
    "action" TEXT NOT NULL,
    "subject_id" TEXT COLLATE "C",
    "subject_name" TEXT,
    "detail" TEXT,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT COLLATE "C",
    "actor_account_id" TEXT COLLATE "C",
    "actor_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entry_account_id_id_idx" ON "audit_entry"("account_id", "id" DESC);
