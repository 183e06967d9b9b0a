-- Drafted from prisma/schema.prisma. By hand: COLLATE "C" on identifiers and the checks.

-- CreateEnum
CREATE TYPE "companion_role" AS ENUM ('user', 'assistant');

-- AlterTable
ALTER TABLE "idempotency_record" ADD COLUMN     "response" JSON;

-- CreateTable
CREATE TABLE "workflow" (
    "slug" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "inputs" JSON NOT NULL,
    "engine" JSON NOT NULL,
    "time_limit_seconds" INTEGER NOT NULL,
    "credits_per_job" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("slug")
);

-- CreateTable
CREATE TABLE "companion_chat" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "persona" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "companion_chat_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "companion_turn" (
    "chat_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "role" "companion_role" NOT NULL,
    "content" TEXT NOT NULL,

    CONSTRAINT "companion_turn_pkey" PRIMARY KEY ("chat_id","position")
);

-- CreateIndex
CREATE INDEX "companion_chat_account_id_idx" ON "companion_chat"("account_id");

-- AddForeignKey
ALTER TABLE "companion_chat" ADD CONSTRAINT "companion_chat_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "companion_turn" ADD CONSTRAINT "companion_turn_chat_id_fkey" FOREIGN KEY ("chat_id") REFERENCES "companion_chat"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What must hold whatever the program does.
ALTER TABLE "workflow" ADD CONSTRAINT "workflow_time_limit_seconds_check" CHECK ("time_limit_seconds" > 0);
ALTER TABLE "workflow" ADD CONSTRAINT "workflow_credits_per_job_check" CHECK ("credits_per_job" >= 0);
