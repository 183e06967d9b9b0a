-- locks: credit_entry (ACCESS EXCLUSIVE)
-- An entry keeps what it says of its job, which may be deleted.
ALTER TABLE credit_entry ADD COLUMN api_key_id text COLLATE "C", ADD COLUMN endpoint_key text COLLATE "C";

-- Programs up to 0.1.0 write entries without them.
CREATE FUNCTION describe_credit_entry() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  SELECT "api_key_id", "endpoint_key" INTO NEW."api_key_id", NEW."endpoint_key" FROM "job" WHERE "id" = NEW."job_id";
  RETURN NEW;
END $$;
CREATE TRIGGER credit_entry_describe BEFORE INSERT ON credit_entry FOR EACH ROW
  WHEN (new.job_id IS NOT NULL AND new.endpoint_key IS NULL) EXECUTE FUNCTION describe_credit_entry();

-- in pages
-- locks: credit_entry (ROW EXCLUSIVE)
WITH page AS MATERIALIZED (
  SELECT job_id FROM credit_entry WHERE job_id > coalesce($1::text, '') ORDER BY job_id LIMIT 2000
), described AS (
  UPDATE credit_entry e SET api_key_id = j.api_key_id, endpoint_key = j.endpoint_key
  FROM job j WHERE j.id = e.job_id AND e.job_id = ANY (ARRAY(SELECT job_id FROM page)) AND e.endpoint_key IS NULL
  RETURNING 1
)
SELECT (SELECT max(job_id) FROM page) AS cursor, (SELECT count(*) FROM described) AS rows;
