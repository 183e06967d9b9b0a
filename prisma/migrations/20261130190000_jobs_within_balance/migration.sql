-- Called by an insertion after the last job of an account: a volatile function sees the jobs that its statement has inserted. The lock makes
-- insertions of one account wait for each other, so that no two of them spend the same credits. Claims charge a job as they end its wait.
CREATE FUNCTION refuse_unpaid_jobs(account text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('jobs within balance ' || account, 0));
  IF (SELECT sum(j."cost") FROM "job" j WHERE j."account_id" = account AND j."status" = 'queued')
    > (SELECT a."credits" - a."held" FROM "account" a WHERE a."id" = account)
  THEN
    RAISE EXCEPTION 'the balance of % is too low', account USING ERRCODE = 'SN003';
  END IF;
END $$;
