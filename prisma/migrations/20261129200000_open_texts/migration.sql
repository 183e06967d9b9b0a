-- locks: account (ACCESS EXCLUSIVE)
-- Credits that speech under way will cost: nothing else may spend them. The balance stays the sum of the ledger.
ALTER TABLE account ADD COLUMN held bigint DEFAULT 0 NOT NULL;
ALTER TABLE account ADD CONSTRAINT account_held_check CHECK (held BETWEEN 0 AND credits) NOT VALID;

-- locks: job (ACCESS EXCLUSIVE)
-- Credits that are held for an unfinished job whose text is still written; and until when it waits for more text.
ALTER TABLE job ADD COLUMN held bigint, ADD COLUMN open_until timestamp(3) with time zone;

-- in one transaction
-- locks: job (SHARE ROW EXCLUSIVE)
-- A job that costs more or less while its text is written counts so in its month.
CREATE FUNCTION change_monthly_usage() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  owner text;
  used bigint;
BEGIN
  FOREACH owner IN ARRAY array_remove(ARRAY[NEW."account_id", NEW."api_key_id"], NULL) LOOP
    INSERT INTO "monthly_usage" AS u ("owner_id", "month", "credits")
    VALUES (owner, "usage_month"(NEW."created_at"), NEW."cost" - OLD."cost")
    ON CONFLICT ("owner_id", "month") DO UPDATE SET "credits" = u."credits" + excluded."credits"
    RETURNING "credits" INTO used;
    IF NEW."cost" > OLD."cost" AND used > (
      SELECT min("monthly_limit") FROM (
        SELECT "monthly_limit" FROM "account" WHERE "id" = owner
        UNION ALL
        SELECT "monthly_limit" FROM "api_key" WHERE "id" = owner
      ) AS l
    ) THEN
      RAISE EXCEPTION 'the monthly limit of % is reached', owner USING ERRCODE = 'SN002';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER job_usage_change AFTER UPDATE OF cost ON job FOR EACH ROW
  WHEN (new.cost <> old.cost AND new.status <> 'failed'::job_status AND old.status <> 'failed'::job_status)
  EXECUTE FUNCTION change_monthly_usage();

-- concurrently
-- locks: account (SHARE UPDATE EXCLUSIVE)
ALTER TABLE account VALIDATE CONSTRAINT account_held_check;
