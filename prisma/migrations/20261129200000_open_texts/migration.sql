-- locks: account (ACCESS EXCLUSIVE)
-- Credits that speech under way will cost: nothing else may spend them. The balance stays the sum of the ledger.
ALTER TABLE account ADD COLUMN held bigint DEFAULT 0 NOT NULL;
ALTER TABLE account ADD CONSTRAINT account_held_check CHECK (held >= 0) NOT VALID;

-- locks: job (ACCESS EXCLUSIVE)
-- Credits that are held for an unfinished job whose text is still written; and until when it waits for more text.
ALTER TABLE job ADD COLUMN held bigint, ADD COLUMN open_until timestamp(3) with time zone;

-- in one transaction
-- locks: account (SHARE ROW EXCLUSIVE), credit_entry (SHARE ROW EXCLUSIVE), job (SHARE ROW EXCLUSIVE)
-- Programs that know no held credits run beside newer ones. To spend held credits, they find no account, as without credit. What the
-- jobs that a claim has locked hold is theirs to spend.
CREATE FUNCTION keep_held_credits() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NEW."credits" < NEW."held" - (
    SELECT coalesce(sum("held"), 0) FROM "job"
    WHERE "account_id" = NEW."id" AND "held" IS NOT NULL AND "status" = 'processing' AND "xmax" = pg_current_xact_id()::xid
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;

-- A charge replaces what its job held.
CREATE FUNCTION release_charged_credits() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  released bigint;
BEGIN
  SELECT "held" INTO released FROM "job" WHERE "id" = NEW."job_id" AND "held" IS NOT NULL;
  IF FOUND THEN
    UPDATE "job" SET "held" = NULL WHERE "id" = NEW."job_id";
    UPDATE "account" SET "held" = "held" - released WHERE "id" = NEW."account_id";
  END IF;
  RETURN NULL;
END $$;

-- A job that fails holds nothing more, whoever ends it; neither does one that costs nothing.
CREATE FUNCTION release_held_credits() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  UPDATE "account" SET "held" = "held" - OLD."held" WHERE "id" = OLD."account_id";
  NEW."held" := NULL;
  RETURN NEW;
END $$;

CREATE TRIGGER account_keeps_held BEFORE UPDATE OF credits ON account FOR EACH ROW
  WHEN (new.credits < old.credits AND new.credits < new.held) EXECUTE FUNCTION keep_held_credits();
CREATE TRIGGER credit_entry_replaces_held AFTER INSERT ON credit_entry FOR EACH ROW
  WHEN (new.kind = 'charge'::credit_kind) EXECUTE FUNCTION release_charged_credits();
CREATE TRIGGER job_releases_held BEFORE UPDATE OF status ON job FOR EACH ROW
  WHEN (old.held IS NOT NULL AND (new.status = 'failed'::job_status OR (new.status = 'completed'::job_status AND old.held = 0)))
  EXECUTE FUNCTION release_held_credits();

-- A job that costs more or less while its text is written counts so in its month.
CREATE FUNCTION change_monthly_usage() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  owner text;
BEGIN
  FOREACH owner IN ARRAY array_remove(ARRAY[NEW."account_id", NEW."api_key_id"], NULL) LOOP
    PERFORM "add_monthly_usage"(owner, "usage_month"(NEW."created_at"), NEW."cost" - OLD."cost");
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER job_usage_change AFTER UPDATE OF cost ON job FOR EACH ROW
  WHEN (new.cost <> old.cost AND new.status <> 'failed'::job_status AND old.status <> 'failed'::job_status)
  EXECUTE FUNCTION change_monthly_usage();

-- concurrently
-- locks: account (SHARE UPDATE EXCLUSIVE)
ALTER TABLE account VALIDATE CONSTRAINT account_held_check;
