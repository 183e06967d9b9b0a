-- Drafted by the schema engine from prisma/schema.prisma. By hand: COLLATE "C" on whatever is an identifier (bytewise order,
-- and indexes that serve prefix search in a database of any locale), the checks, and the vacuum settings at the end.

-- CreateEnum
CREATE TYPE "credit_kind" AS ENUM ('grant', 'charge', 'refund');

-- CreateEnum
CREATE TYPE "voice_kind" AS ENUM ('preset', 'reference');

-- CreateEnum
CREATE TYPE "job_type" AS ENUM ('voice', 'companion_chat', 'companion_retarget', 'companion_media_tag', 'generate');

-- CreateEnum
CREATE TYPE "job_status" AS ENUM ('queued', 'processing', 'completed', 'failed');

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "credits" BIGINT NOT NULL DEFAULT 0,
    "webhook_url" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credit_entry" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "kind" "credit_kind" NOT NULL,
    "amount" BIGINT NOT NULL,
    "job_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "voice_endpoint" (
    "slug" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "published" BOOLEAN NOT NULL,
    "required_scope" TEXT,
    "voice_input" TEXT NOT NULL,
    "inputs" JSON NOT NULL,
    "response_fields" TEXT[],
    "engine" JSON NOT NULL,
    "time_limit_seconds" INTEGER NOT NULL,
    "credits_per_character" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "voice_endpoint_pkey" PRIMARY KEY ("slug")
);

-- CreateTable
CREATE TABLE "voice" (
    "endpoint_slug" TEXT COLLATE "C" NOT NULL,
    "slug" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "kind" "voice_kind" NOT NULL,
    "engine_voice" TEXT,
    "reference_audio" BYTEA,
    "reference_text" TEXT,

    CONSTRAINT "voice_pkey" PRIMARY KEY ("endpoint_slug","slug")
);

-- CreateTable
CREATE TABLE "job" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "type" "job_type" NOT NULL,
    "endpoint_key" TEXT COLLATE "C" NOT NULL,
    "status" "job_status" NOT NULL DEFAULT 'queued',
    "api_key_id" TEXT COLLATE "C",
    "inputs" JSON NOT NULL,
    "webhook_url" TEXT,
    "cost" BIGINT NOT NULL DEFAULT 0,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "cause" TEXT,
    "is_prohibited" BOOLEAN,
    "reason" TEXT,
    "chat_id" TEXT COLLATE "C",
    "media_url" TEXT,
    "media_kind" TEXT,
    "provider_job_id" TEXT COLLATE "C",
    "gpu_execution_time_ms" INTEGER,

    CONSTRAINT "job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "artifact" (
    "id" TEXT COLLATE "C" NOT NULL,
    "job_id" TEXT COLLATE "C" NOT NULL,
    "output" TEXT COLLATE "C" NOT NULL,
    "storage_key" TEXT COLLATE "C" NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "duration_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "artifact_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "job_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_name_key" ON "account"("name");

-- CreateIndex
CREATE INDEX "credit_entry_account_id_id_idx" ON "credit_entry"("account_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "credit_entry_job_id_kind_key" ON "credit_entry"("job_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_account_id_idx" ON "api_key"("account_id");

-- CreateIndex
CREATE INDEX "job_account_id_id_idx" ON "job"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "job_status_id_idx" ON "job"("status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_storage_key_key" ON "artifact"("storage_key");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_job_id_output_key" ON "artifact"("job_id", "output");

-- CreateIndex
CREATE INDEX "idempotency_record_created_at_idx" ON "idempotency_record"("created_at");

-- AddForeignKey
ALTER TABLE "credit_entry" ADD CONSTRAINT "credit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "voice" ADD CONSTRAINT "voice_endpoint_slug_fkey" FOREIGN KEY ("endpoint_slug") REFERENCES "voice_endpoint"("slug") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "job"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What must hold whatever the program does.
ALTER TABLE "account" ADD CONSTRAINT "account_credits_check" CHECK ("credits" >= 0);
ALTER TABLE "credit_entry" ADD CONSTRAINT "credit_entry_job_id_check" CHECK ("kind" = 'grant' OR "job_id" IS NOT NULL);
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_hash_check" CHECK (octet_length("hash") = 32);
ALTER TABLE "voice_endpoint" ADD CONSTRAINT "voice_endpoint_time_limit_seconds_check" CHECK ("time_limit_seconds" > 0);
ALTER TABLE "voice_endpoint" ADD CONSTRAINT "voice_endpoint_credits_per_character_check" CHECK ("credits_per_character" >= 0);
ALTER TABLE "job" ADD CONSTRAINT "job_cost_check" CHECK ("cost" >= 0);
ALTER TABLE "job" ADD CONSTRAINT "job_attempt_check" CHECK ("attempt" >= 0);
ALTER TABLE "job" ADD CONSTRAINT "job_completed_at_check" CHECK (("status" IN ('completed', 'failed')) = ("completed_at" IS NOT NULL));
ALTER TABLE "job" ADD CONSTRAINT "job_error_code_check" CHECK (("status" = 'failed') = ("error_code" IS NOT NULL));
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_bytes_check" CHECK ("bytes" >= 0);
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_sha256_check" CHECK (octet_length("sha256") = 32);
ALTER TABLE "installation" ADD CONSTRAINT "installation_id_check" CHECK ("id" = 1);

-- Every job is updated two or three times and then never again: the defaults would wait for a fifth of the whole history.
ALTER TABLE "job" SET (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.01,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
