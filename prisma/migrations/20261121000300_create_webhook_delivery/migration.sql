-- Drafted by the schema engine from prisma/schema.prisma. By hand: COLLATE "C", the checks, and the vacuum settings.

-- CreateEnum
CREATE TYPE "webhook_delivery_state" AS ENUM ('pending', 'succeeded', 'failed');

-- CreateEnum
CREATE TYPE "webhook_delivery_kind" AS ENUM ('job', 'test');

-- CreateTable
CREATE TABLE "webhook_secret" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secret_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "kind" "webhook_delivery_kind" NOT NULL,
    "job_id" TEXT COLLATE "C" NOT NULL,
    "url" TEXT NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "signature" TEXT NOT NULL,
    "body" BYTEA,
    "round" INTEGER NOT NULL DEFAULT 1,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "state" "webhook_delivery_state" NOT NULL DEFAULT 'pending',
    "outcome" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "delivery_id" TEXT COLLATE "C" NOT NULL,
    "round" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "duration_ms" INTEGER,
    "outcome" TEXT,
    "response_status" INTEGER,
    "response" BYTEA,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("delivery_id","round","number")
);

-- CreateIndex
CREATE INDEX "webhook_secret_account_id_id_idx" ON "webhook_secret"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_account_id_id_idx" ON "webhook_delivery"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_job_id_idx" ON "webhook_delivery"("job_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_state_next_attempt_at_idx" ON "webhook_delivery"("state", "next_attempt_at");

-- AddForeignKey
ALTER TABLE "webhook_secret" ADD CONSTRAINT "webhook_secret_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What must hold whatever the program does.
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_attempt_check" CHECK ("attempt" BETWEEN 0 AND 4);
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_body_check" CHECK ("state" <> 'pending' OR "body" IS NOT NULL);
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_finished_at_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL));
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_response_check" CHECK (octet_length("response") <= 1024);

-- Every delivery is updated twice and then never again.
ALTER TABLE "webhook_delivery" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.01);
