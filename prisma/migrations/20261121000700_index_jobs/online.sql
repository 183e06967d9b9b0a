-- As migration.sql, for a database in use: no build holds a write.

-- concurrently
CREATE INDEX CONCURRENTLY "job_account_id_endpoint_key_id_idx" ON "job"("account_id", "endpoint_key", "id" DESC);
CREATE INDEX CONCURRENTLY "job_account_id_completed_at_id_idx" ON "job"("account_id", "completed_at" DESC, "id" DESC) WHERE "completed_at" IS NOT NULL;
CREATE INDEX CONCURRENTLY "job_account_id_duration_id_idx" ON "job"("account_id", ((extract(epoch from ("completed_at" - "created_at")) * 1000)::bigint) DESC, "id" DESC) WHERE "completed_at" IS NOT NULL;
CREATE INDEX CONCURRENTLY "job_account_id_error_code_id_idx" ON "job"("account_id", "error_code", "id" DESC) WHERE "error_code" IS NOT NULL;
