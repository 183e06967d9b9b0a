-- locks: account (ACCESS EXCLUSIVE), api_key (ACCESS EXCLUSIVE)
-- Credits of a calendar month in UTC; null: no limit.
ALTER TABLE account ADD COLUMN monthly_limit bigint, ADD CONSTRAINT account_monthly_limit_check CHECK (monthly_limit >= 0);
ALTER TABLE api_key ADD COLUMN monthly_limit bigint, ADD CONSTRAINT api_key_monthly_limit_check CHECK (monthly_limit >= 0);

-- Credits of the jobs that an account or a key submitted in a month, without those that failed. Deletions of jobs change nothing. The
-- ledger cannot answer this: it has no jobs that wait, and a charge may be written in another month than its job was accepted in.
CREATE TABLE monthly_usage (
  owner_id text NOT NULL COLLATE "C",
  month date NOT NULL,
  shard integer NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (owner_id, month, shard)
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0');

CREATE FUNCTION usage_month(at timestamp with time zone) RETURNS date
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT date_trunc('month', "at" AT TIME ZONE 'UTC')::date $$;

-- Submissions of an owner without a limit write shards of their own, so that none waits for another one's commit. The lock makes those of an
-- owner with a limit wait, so that no two of them pass it together.
CREATE FUNCTION add_monthly_usage(owner text, in_month date, amount numeric) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  most CONSTANT bigint := (
    SELECT min(l."monthly_limit") FROM (
      SELECT "monthly_limit" FROM "account" WHERE "id" = owner
      UNION ALL
      SELECT "monthly_limit" FROM "api_key" WHERE "id" = owner
    ) AS l
  );
BEGIN
  IF most IS NOT NULL AND amount > 0 THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('monthly usage ' || owner, 0));
  END IF;
  INSERT INTO "monthly_usage" AS u ("owner_id", "month", "shard", "credits")
  VALUES (owner, in_month, "job_count_shard"(), amount)
  ON CONFLICT ("owner_id", "month", "shard") DO UPDATE SET "credits" = u."credits" + excluded."credits";
  IF amount > 0 AND most < (SELECT sum("credits") FROM "monthly_usage" WHERE "owner_id" = owner AND "month" = in_month) THEN
    RAISE EXCEPTION 'the monthly limit of % is reached', owner USING ERRCODE = 'SN002';
  END IF;
END $$;

-- Owners are locked in the order of their ids: an account before its keys.
CREATE FUNCTION count_monthly_usage() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  used record;
BEGIN
  FOR used IN
    SELECT o."owner_id", "usage_month"(n."created_at") AS "month", sum(n."cost") AS "credits"
    FROM "new_jobs" n CROSS JOIN LATERAL (VALUES (n."account_id"), (n."api_key_id")) AS o ("owner_id")
    WHERE n."cost" > 0 AND n."status" <> 'failed' AND o."owner_id" IS NOT NULL
    GROUP BY 1, 2 ORDER BY 1, 2
  LOOP
    PERFORM "add_monthly_usage"(used."owner_id", used."month", used."credits");
  END LOOP;
  RETURN NULL;
END $$;

CREATE FUNCTION return_monthly_usage() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM "add_monthly_usage"(o."owner_id", "usage_month"(OLD."created_at"), -OLD."cost")
  FROM (VALUES (OLD."account_id"), (OLD."api_key_id")) AS o ("owner_id") WHERE o."owner_id" IS NOT NULL;
  RETURN NULL;
END $$;

-- in one transaction
-- locks: job (SHARE ROW EXCLUSIVE)
CREATE TRIGGER job_usage_insert AFTER INSERT ON job REFERENCING NEW TABLE AS new_jobs FOR EACH STATEMENT EXECUTE FUNCTION count_monthly_usage();
-- At the end of the transaction, so that a refund locks the account first, as a text that grows does.
CREATE CONSTRAINT TRIGGER job_usage_return AFTER UPDATE OF status ON job DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (new.status = 'failed'::job_status AND old.status <> 'failed'::job_status AND old.cost > 0) EXECUTE FUNCTION return_monthly_usage();

-- Only jobs that have not ended can fail, so these alone must be counted with the triggers.
INSERT INTO monthly_usage (owner_id, month, shard, credits)
SELECT o.owner_id, usage_month(j.created_at), 0, sum(j.cost)
FROM job j CROSS JOIN LATERAL (VALUES (j.account_id), (j.api_key_id)) AS o (owner_id)
WHERE j.status IN ('queued', 'processing') AND j.cost > 0 AND o.owner_id IS NOT NULL GROUP BY 1, 2;
