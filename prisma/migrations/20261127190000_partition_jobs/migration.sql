-- Jobs, their artifacts and the ledger of jobs are partitioned by the id of the job, which begins with its time. What there is becomes the
-- first partition as it is: each step renames, and reads and writes no row of a job. Further partitions are made by workers as the table
-- grows (src/jobs/partitions).

-- in one transaction
-- The owner of what becomes a partition, and the rights of all other roles, for the table that it is then a partition of.
CREATE FUNCTION "take_rights"("whole" REGCLASS, "part" REGCLASS) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  granted RECORD;
BEGIN
  EXECUTE format('ALTER TABLE %s OWNER TO %I', "whole", (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = "part"));
  FOR granted IN
    SELECT a.privilege_type || coalesce(' (' || quote_ident(acls."column") || ')', '') AS what, a.is_grantable,
      coalesce(quote_ident(r.rolname), 'PUBLIC') AS grantee
    FROM pg_class c CROSS JOIN LATERAL (
        SELECT c.relacl AS acl, NULL::name AS "column" UNION ALL
        SELECT attacl, attname FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL
      ) acls CROSS JOIN LATERAL aclexplode(acls.acl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = "part" AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON %s TO %s', granted.what, "whole", granted.grantee)
      || CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END;
  END LOOP;
END $$;

-- in one transaction
-- Deleting a job deletes its artifacts by its trigger, as before; a partition can be given up without a look at those of others. Locked in
-- the order in which a completion writes them.
LOCK TABLE "job", "artifact" IN ACCESS EXCLUSIVE MODE;
ALTER TABLE "artifact" DROP CONSTRAINT IF EXISTS "artifact_job_id_fkey";

-- in one transaction
-- A foreign key of a partition comes with triggers of the table that it refers to.
LOCK TABLE "job", "account" IN ACCESS EXCLUSIVE MODE;
ALTER TABLE "job" RENAME TO "job_first";
ALTER INDEX "job_pkey" RENAME TO "job_first_pkey";
ALTER INDEX "job_account_id_id_idx" RENAME TO "job_first_account_id_id_idx";
ALTER INDEX "job_account_id_status_id_idx" RENAME TO "job_first_account_id_status_id_idx";
ALTER INDEX "job_account_id_type_id_idx" RENAME TO "job_first_account_id_type_id_idx";
ALTER INDEX "job_account_id_endpoint_key_id_idx" RENAME TO "job_first_account_id_endpoint_key_id_idx";
ALTER INDEX "job_account_id_api_key_id_id_idx" RENAME TO "job_first_account_id_api_key_id_id_idx";
ALTER INDEX "job_account_id_is_prohibited_id_idx" RENAME TO "job_first_account_id_is_prohibited_id_idx";
ALTER INDEX "job_account_id_error_code_id_idx" RENAME TO "job_first_account_id_error_code_id_idx";
ALTER INDEX "job_account_id_completed_at_id_idx" RENAME TO "job_first_account_id_completed_at_id_idx";
ALTER INDEX "job_account_id_duration_id_idx" RENAME TO "job_first_account_id_duration_id_idx";
ALTER INDEX "job_status_id_idx" RENAME TO "job_first_status_id_idx";
ALTER STATISTICS "job_duration" RENAME TO "job_first_duration";
ALTER STATISTICS "job_hour" RENAME TO "job_first_hour";
ALTER STATISTICS "job_day" RENAME TO "job_first_day";
DROP TRIGGER "job_abandons_attempt" ON "job_first";
DROP TRIGGER "job_count_delete" ON "job_first";
DROP TRIGGER "job_count_insert" ON "job_first";
DROP TRIGGER "job_count_truncate" ON "job_first";
DROP TRIGGER "job_count_update" ON "job_first";
DROP TRIGGER "job_delete_artifacts" ON "job_first";
DROP TRIGGER "job_was_heard" ON "job_first";
CREATE TABLE "job" (LIKE "job_first" INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE ("id");
ALTER TABLE "job" ADD CONSTRAINT "job_pkey" PRIMARY KEY ("id");
ALTER TABLE "job" ADD CONSTRAINT "job_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX "job_account_id_id_idx" ON "job" ("account_id", "id" DESC);
CREATE INDEX "job_account_id_status_id_idx" ON "job" ("account_id", "status", "id" DESC);
CREATE INDEX "job_account_id_type_id_idx" ON "job" ("account_id", "type", "id" DESC);
CREATE INDEX "job_account_id_endpoint_key_id_idx" ON "job" ("account_id", "endpoint_key", "id" DESC);
CREATE INDEX "job_account_id_api_key_id_id_idx" ON "job" ("account_id", "api_key_id", "id" DESC);
CREATE INDEX "job_account_id_is_prohibited_id_idx" ON "job" ("account_id", "is_prohibited", "id" DESC) WHERE "is_prohibited" IS NOT NULL;
CREATE INDEX "job_account_id_error_code_id_idx" ON "job" ("account_id", "error_code", "id" DESC) WHERE "error_code" IS NOT NULL;
CREATE INDEX "job_account_id_completed_at_id_idx" ON "job" ("account_id", "completed_at" DESC, "id" DESC) WHERE "completed_at" IS NOT NULL;
CREATE INDEX "job_account_id_duration_id_idx" ON "job" ("account_id", ((extract(epoch from ("completed_at" - "created_at")) * 1000)::bigint) DESC, "id" DESC)
  WHERE "completed_at" IS NOT NULL;
CREATE INDEX "job_status_id_idx" ON "job" ("status", "id");
CREATE TRIGGER "job_abandons_attempt" AFTER UPDATE OF "attempt", "status" ON "job" FOR EACH ROW
  WHEN (OLD."attempt" > 0 AND (NEW."attempt" > OLD."attempt" OR (NEW."status" = 'failed' AND OLD."status" <> 'failed')))
  EXECUTE FUNCTION "note_abandoned_attempt"();
CREATE TRIGGER "job_count_delete" AFTER DELETE ON "job" REFERENCING OLD TABLE AS "old_jobs" FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted_jobs"();
CREATE TRIGGER "job_count_insert" AFTER INSERT ON "job" REFERENCING NEW TABLE AS "new_jobs" FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted_jobs"();
CREATE TRIGGER "job_count_truncate" AFTER TRUNCATE ON "job" FOR EACH STATEMENT EXECUTE FUNCTION "count_no_jobs"();
CREATE TRIGGER "job_count_update" AFTER UPDATE ON "job" REFERENCING OLD TABLE AS "old_jobs" NEW TABLE AS "new_jobs"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_updated_jobs"();
CREATE TRIGGER "job_delete_artifacts" BEFORE DELETE ON "job" FOR EACH ROW EXECUTE FUNCTION "delete_artifacts_of_job"();
CREATE TRIGGER "job_was_heard" AFTER UPDATE OF "status" ON "job" FOR EACH ROW
  WHEN (NEW."parts_done" IS NOT NULL AND NEW."status" = 'completed' AND OLD."status" <> 'completed') EXECUTE FUNCTION "note_heard_attempt"();
SELECT "take_rights"('"job"', '"job_first"');
ALTER TABLE "job" ATTACH PARTITION "job_first" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

-- in one transaction
ALTER TABLE "artifact" RENAME TO "artifact_first";
ALTER INDEX "artifact_pkey" RENAME TO "artifact_first_pkey";
ALTER INDEX "artifact_job_id_output_key" RENAME TO "artifact_first_job_id_output_key";
ALTER INDEX "artifact_storage_key_key" RENAME TO "artifact_first_storage_key_key";
DROP TRIGGER "artifact_count_delete" ON "artifact_first";
DROP TRIGGER "artifact_count_insert" ON "artifact_first";
CREATE TABLE "artifact" (LIKE "artifact_first" INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE ("job_id");
CREATE UNIQUE INDEX "artifact_job_id_output_key" ON "artifact" ("job_id", "output");
CREATE TRIGGER "artifact_count_delete" AFTER DELETE ON "artifact" REFERENCING OLD TABLE AS "old_artifacts"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted_audio"();
CREATE TRIGGER "artifact_count_insert" AFTER INSERT ON "artifact" REFERENCING NEW TABLE AS "new_artifacts"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted_audio"();
SELECT "take_rights"('"artifact"', '"artifact_first"');
ALTER TABLE "artifact" ATTACH PARTITION "artifact_first" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

-- in one transaction
-- Grants, and what was carried on, belong to no job: they are in the default partition for ever, and so are the entries of the first jobs.
LOCK TABLE "credit_entry", "account" IN ACCESS EXCLUSIVE MODE;
ALTER TABLE "credit_entry" RENAME TO "credit_entry_default";
ALTER INDEX "credit_entry_pkey" RENAME TO "credit_entry_default_pkey";
ALTER INDEX "credit_entry_account_id_id_idx" RENAME TO "credit_entry_default_account_id_id_idx";
ALTER INDEX "credit_entry_job_id_kind_key" RENAME TO "credit_entry_default_job_id_kind_key";
CREATE TABLE "credit_entry" (LIKE "credit_entry_default" INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE ("job_id");
ALTER TABLE "credit_entry" ADD CONSTRAINT "credit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account" ("id")
  ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE UNIQUE INDEX "credit_entry_job_id_kind_key" ON "credit_entry" ("job_id", "kind");
CREATE INDEX "credit_entry_account_id_id_idx" ON "credit_entry" ("account_id", "id" DESC);
SELECT "take_rights"('"credit_entry"', '"credit_entry_default"');
ALTER SEQUENCE "credit_entry_id_seq" OWNED BY "credit_entry"."id";
ALTER TABLE "credit_entry" ATTACH PARTITION "credit_entry_default" DEFAULT;

-- concurrently
CREATE STATISTICS IF NOT EXISTS "job_duration" ON ((extract(epoch from ("completed_at" - "created_at")) * 1000)::bigint) FROM "job";
CREATE STATISTICS IF NOT EXISTS "job_hour" ON (date_bin('1 hour', "created_at", timestamptz '1970-01-01 00:00:00Z')) FROM "job";
CREATE STATISTICS IF NOT EXISTS "job_day" ON (date_bin('1 day', "created_at", timestamptz '1970-01-01 00:00:00Z')) FROM "job";
ANALYZE "job";
ANALYZE "artifact";
ANALYZE "credit_entry";

-- in one transaction
DROP FUNCTION "take_rights"(REGCLASS, REGCLASS);
