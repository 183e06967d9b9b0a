-- Revision 13. A change of this text takes the next number: processes of an older revision leave it in place.
--
-- A worker takes jobs out of a queue with it. For each server, the accounts that wait for it take turns, beginning after the account
-- that was served last. Jobs that somebody waits for have a priority: they come first, and their accounts take turns among themselves.
-- Every fourth job is one of the others. `after_account` holds, with a space between, the account served last, the last account of an
-- awaited job, and the number of awaited jobs taken in a row; an older process passes the first alone.
-- `rooms` maps a server to the number of jobs that this worker can take for it; '' stands for all servers that it does not name. With
-- `awaited`, such a map for the jobs that somebody waits for, these leave the room of the others alone, and none waits for another
-- kind; an older process passes no such map, and both kinds share the room. `full` lists accounts of which this worker takes no awaited
-- job. `since` is a time before which no waiting job became due, as far as this worker knows. The workers have settled beforehand how many requests each may have at a server (`worker.permits`), so a claim counts none of them
-- and waits for no other. The claim leaves out an account whose jobs all wait for a later time, and one whose `max_running` jobs run; of
-- an account with limits, or with keys that have some, `claimable_within_limits` chooses the jobs.
--
-- PostgreSQL keeps rows that were taken as long as an older transaction is open, and each scan of an index walks over them. So a claim
-- begins with the jobs that became due first, from `since` on. If these are all that wait, it finds the accounts among them. If more wait,
-- it walks over the index of all accounts, and passes over what is older than these jobs and those that returned to the queue. Whatever
-- puts a job into a queue after its creation gives it the state `retry`, or the walk would pass over it.
--
-- pg-boss creates its tables when it starts, so the body names them at run time only. The settings make the planner use the index
-- sonant_turns: with statistics from before the queue filled up it would read the whole table for every claim. The update looks up the
-- chosen rows by id, because a plan from when the queue was empty would read all rows.
--
-- The commit waits for the disk, because the statement that calls this also charges for the jobs. If a crash of the database took a
-- claim back, the next worker would get the same attempt, with the folder of its files.
--
-- Older and newer processes call it at the same time: name, parameters and columns stay.
CREATE OR REPLACE FUNCTION "claim_queued"(queue text, free integer, after_account text, worker_id text, rooms jsonb)
RETURNS TABLE (id uuid, retry_count integer, job_id text, account_id text, server text)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_material = off SET enable_sort = off SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  -- The groups of an account's keys come after its own.
  last_served CONSTANT text := coalesce(nullif(split_part(after_account, ' ', 1), '') || '/zzz', '');
  last_awaited CONSTANT text := coalesce(nullif(split_part(after_account, ' ', 2), '') || '/zzz', '');
  full_accounts CONSTANT jsonb := coalesce(rooms->'full', '[]');
  in_a_row CONSTANT integer := coalesce(nullif(split_part(after_account, ' ', 3), '')::integer, 0);
  has_limits CONSTANT boolean := EXISTS (SELECT FROM "account" a WHERE a."max_running" IS NOT NULL)
    OR EXISTS (SELECT FROM "api_key" k WHERE k."max_running" IS NOT NULL)
    OR EXISTS (SELECT FROM pgboss.job_common j WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND strpos(j.group_id, '/') > 0
      ORDER BY j.group_id LIMIT 1);
  since CONSTANT timestamptz := coalesce((rooms->>'since')::timestamptz, '-infinity');
  looked_through CONSTANT integer := 200;
BEGIN
  RETURN QUERY
  WITH RECURSIVE first_due AS MATERIALIZED (
    SELECT j.group_tier AS server, j.priority > 0 AS awaited, split_part(j.group_id, '/', 1) AS account, j.created_on FROM pgboss.job_common j
    WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked
      AND j.start_after >= since AND j.start_after <= now()
    ORDER BY j.start_after LIMIT looked_through
  ), depth AS MATERIALIZED (
    SELECT count(*) = looked_through AS is_long, least(min(created_on), (
      SELECT j.created_on FROM pgboss.job_common j WHERE j.name = queue AND j.state = 'retry' AND NOT j.blocked ORDER BY j.created_on LIMIT 1
    )) AS oldest FROM first_due
  ), all_due AS MATERIALIZED (
    SELECT DISTINCT server, awaited, account FROM first_due WHERE NOT (SELECT is_long FROM depth)
  ), server AS (
    (SELECT j.group_tier AS name FROM pgboss.job_common j
     WHERE (SELECT is_long FROM depth) AND j.name = queue AND j.state < 'active' AND NOT j.blocked
       AND j.created_on >= (SELECT oldest FROM depth) ORDER BY j.group_tier LIMIT 1)
    UNION ALL
    SELECT (SELECT j.group_tier FROM pgboss.job_common j
            WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier > s.name
              AND j.created_on >= (SELECT oldest FROM depth) ORDER BY j.group_tier LIMIT 1)
    FROM server s WHERE s.name IS NOT NULL
  ), open AS (
    SELECT s.name, c.awaited, c.after, least(free, coalesce(c.rooms->>s.name, c.rooms->>'')::integer) AS room,
      CASE WHEN c.rooms ? s.name THEN s.name ELSE '' END AS counted_as
    FROM (SELECT name FROM server UNION SELECT server FROM all_due) s CROSS JOIN (VALUES (true, last_awaited, coalesce(rooms->'awaited', rooms)), (false, last_served, rooms)) c (awaited, after, rooms)
    WHERE s.name IS NOT NULL AND coalesce((coalesce(c.rooms->>s.name, c.rooms->>''))::integer, 1) > 0
  ), turn AS (
    SELECT o.name, o.awaited, o.room, o.counted_as, t.lap, t.account, t.jobs, row_number() OVER (PARTITION BY o.name, o.awaited ORDER BY t.lap, t.account) AS place
    FROM open o CROSS JOIN LATERAL (
      -- From account to account, first behind the one that was served last, then from the first one to it.
      WITH RECURSIVE walk AS (
        SELECT s.lap, NULL::text AS account, NULL::jsonb AS jobs, 0 AS step, s.past, s.upto
        FROM (VALUES (1, o.after, 'zzz'), (2, '', o.after)) s (lap, past, upto)
        UNION ALL
        SELECT w.lap, n.account, n.jobs, w.step + CASE WHEN n.jobs = '[]' THEN 0 ELSE 1 END, n.account || '/zzz', w.upto
        FROM walk w CROSS JOIN LATERAL (
          SELECT f.account, CASE
            WHEN o.awaited AND full_accounts ? f.account THEN '[]'
            WHEN has_limits AND (
              EXISTS (SELECT FROM "account" a WHERE a."id" = f.account AND a."max_running" IS NOT NULL)
              OR EXISTS (SELECT FROM "api_key" k WHERE k."account_id" = f.account AND k."max_running" IS NOT NULL)
              OR EXISTS (SELECT FROM pgboss.job_common j WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND strpos(j.group_id, '/') > 0
                AND j.group_id > f.account AND j.group_id < f.account || '/zzz' ORDER BY j.group_id LIMIT 1)
            ) THEN "claimable_within_limits"(queue, f.account, o.name, o.awaited, o.room, (SELECT oldest FROM depth))
          END AS jobs
          FROM (
            (SELECT split_part(j.group_id, '/', 1) AS account FROM pgboss.job_common j
             WHERE (SELECT is_long FROM depth) AND j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name
               AND (j.priority > 0) = o.awaited AND j.group_id > w.past AND j.group_id <= w.upto AND j.start_after <= now()
               AND j.created_on >= (SELECT oldest FROM depth)
             ORDER BY j.group_id LIMIT 1)
            UNION ALL
            (SELECT d.account FROM all_due d
             WHERE d.server = o.name AND d.awaited = o.awaited AND d.account > w.past AND d.account <= w.upto
             ORDER BY d.account LIMIT 1)
          ) f
        ) n
        WHERE w.step < o.room
      )
      SELECT lap, account, jobs FROM walk WHERE account IS NOT NULL AND jobs IS DISTINCT FROM '[]'
    ) t
  ), fair AS (
    SELECT *, (room + least(room, count(*) OVER (PARTITION BY name, awaited)) - 1)
      / least(room, count(*) OVER (PARTITION BY name, awaited)) AS share
    FROM turn
  ), offered AS (
    SELECT f.name, f.awaited, f.room, f.counted_as, f.place, f.lap, f.account, l.id, l.created_on
    FROM fair f CROSS JOIN LATERAL (
      SELECT j.id, j.created_on FROM pgboss.job_common j
      WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = f.name AND (j.priority > 0) = f.awaited AND j.group_id = f.account
        AND j.start_after <= now() AND j.created_on >= (SELECT oldest FROM depth)
      ORDER BY j.created_on LIMIT f.share FOR UPDATE SKIP LOCKED
    ) l
    WHERE f.place <= f.room AND f.jobs IS NULL
    UNION ALL
    SELECT l.name, l.awaited, l.room, l.counted_as, l.place, l.lap, l.account, l.id, l.created_on
    FROM (SELECT jsonb_agg(to_jsonb(f)) AS turns FROM fair f WHERE f.place <= f.room AND f.jobs IS NOT NULL) limited
    CROSS JOIN LATERAL "fitting_jobs"(limited.turns) l
  ), found AS (
    SELECT *, row_number() OVER (PARTITION BY name, awaited, account ORDER BY created_on) AS nth FROM offered
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY name, awaited ORDER BY nth, place) AS rank FROM found
  ), mixed AS (
    -- Jobs that nobody waits for get the places 4, 8, 12 and so on, or earlier ones that are left over.
    SELECT *, CASE WHEN awaited THEN rank + in_a_row + (rank + in_a_row - 1) / 3 ELSE 4 * rank END AS turn FROM ranked
  ), seated AS (
    -- Between servers the account's turn decides, then the time that the job has waited.
    SELECT *, row_number() OVER (PARTITION BY counted_as, CASE WHEN rooms ? 'awaited' THEN awaited END
      ORDER BY turn, nth, place, lap, account, created_on) AS seat FROM mixed
  ), chosen AS MATERIALIZED (
    SELECT r.id, r.turn, r.awaited, r.nth, r.place FROM seated r WHERE r.seat <= r.room
    ORDER BY r.turn, r.nth, r.place, r.lap, r.account, r.created_on LIMIT free
  ), taken AS (
    UPDATE pgboss.job_common j SET state = 'active', started_on = now(), heartbeat_on = now(),
      retry_count = CASE WHEN j.started_on IS NOT NULL THEN j.retry_count + 1 ELSE j.retry_count END,
      group_id = split_part(j.group_id, '/', 1), data = j.data || jsonb_build_object('worker', worker_id)
    -- The array of ids makes the planner use the primary key; with a join it may read all rows of the queue. `found` has locked the rows
    -- and checked their state; the state here as well would let the planner read an index of all waiting rows.
    FROM chosen c WHERE j.name = queue AND j.id = ANY (ARRAY(SELECT id FROM chosen)) AND c.id = j.id
    RETURNING j.id, j.retry_count, j.data->>'jobId' AS job, j.group_id, j.group_tier, c.turn, c.nth, c.place
  )
  SELECT t.id, t.retry_count, t.job, t.group_id, t.group_tier FROM taken t ORDER BY t.turn, t.nth, t.place;
END
$$;

-- Returns the jobs of an account that one claim may take for a server within the limits of the account and of their keys, oldest first, and
-- locks them; an empty array if there are none; null if the account has no limits. A job in status processing holds a place, also while
-- it waits for another worker, which then takes it without another place. `places` are free for new jobs of the account, `key_places`
-- for those of the key.
--
-- The lock is the account's own: the claim that has it alone takes jobs of the account until it commits, and the others leave them out.
-- The count comes in a statement after the lock, so it sees the claims before it.
--
-- Jobs of a key with a limit wait in a group of their own, the account's id, a slash and the key's. Those that were queued before the key
-- had the limit move there, some at each claim, if they stand ahead of others while the key is full.
--
-- Two settings of the transaction tell the claim's caller that limits may have held jobs back (`sonant.met_limits`), and that jobs have
-- moved, so that the next claim sees others (`sonant.moved_jobs`).
DROP FUNCTION IF EXISTS "claimable_within_limits"(text, text, text, boolean, integer);
CREATE OR REPLACE FUNCTION "claimable_within_limits"(of_queue text, of_account text, of_server text, is_awaited boolean, most integer,
  oldest timestamptz)
RETURNS jsonb
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  looked_through CONSTANT integer := 50;
  account_limit CONSTANT integer := (SELECT a."max_running" FROM "account" a WHERE a."id" = of_account AND a."max_running" IS NOT NULL);
  key_limits CONSTANT jsonb := (
    SELECT jsonb_object_agg(k."id", k."max_running") FROM "api_key" k WHERE k."account_id" = of_account AND k."max_running" IS NOT NULL
  );
  apart CONSTANT text[] := ARRAY(
    WITH RECURSIVE held AS (
      (SELECT j.group_id FROM pgboss.job_common j
       WHERE j.name = of_queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = of_server AND (j.priority > 0) = is_awaited
         AND j.created_on >= oldest AND j.group_id > of_account || '/' AND j.group_id < of_account || '/zzz' ORDER BY j.group_id LIMIT 1)
      UNION ALL
      SELECT n.group_id FROM held h CROSS JOIN LATERAL (
        SELECT j.group_id FROM pgboss.job_common j
        WHERE j.name = of_queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = of_server AND (j.priority > 0) = is_awaited
          AND j.created_on >= oldest AND j.group_id > h.group_id AND j.group_id < of_account || '/zzz' ORDER BY j.group_id LIMIT 1
      ) n
    )
    SELECT split_part(group_id, '/', 2) FROM held
  );
  places integer;
  key_places jsonb;
  wanted integer;
  left_of jsonb;
  found jsonb;
  held_key text;
  these jsonb;
  waiting record;
  taken integer := 0;
  full_ids uuid[] := '{}';
  full_keys text[] := '{}';
BEGIN
  IF account_limit IS NULL AND key_limits IS NULL AND apart = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM set_config('sonant.met_limits', 'on', true);
  IF NOT pg_try_advisory_xact_lock(hashtextextended('running ' || of_account, 0)) THEN
    RETURN '[]';
  END IF;

  WITH running AS (
    (SELECT j."id", j."api_key_id" FROM "job" j
    WHERE j."account_id" = of_account AND j."status" BETWEEN 'processing' AND 'processing' AND j."type" IN ('voice', 'generate')
    ORDER BY j."status")
    UNION
    -- Their workers write the rows in statements of their own.
    SELECT j."id", j."api_key_id" FROM pgboss.queue n
    CROSS JOIN LATERAL (
      SELECT q.data->>'jobId' AS job FROM pgboss.job_common q
      WHERE q.name = n.name AND q.state = 'active' AND q.group_id BETWEEN of_account AND of_account ORDER BY q.group_id OFFSET 0
    ) q
    CROSS JOIN LATERAL (SELECT b."id", b."api_key_id", b."status" FROM "job" b WHERE b."id" = q.job OFFSET 0) j
    WHERE j."status" = 'queued'
  ), of_keys AS (
    SELECT r."api_key_id", count(*)::integer AS jobs FROM running r GROUP BY r."api_key_id"
  )
  SELECT account_limit - (SELECT count(*)::integer FROM running),
    (SELECT jsonb_object_agg(l.key, l.value::integer - coalesce((SELECT k.jobs FROM of_keys k WHERE k."api_key_id" = l.key), 0))
     FROM jsonb_each_text(key_limits) l)
  INTO places, key_places;

  SELECT coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'created_on', w.created_on, 'is_new', false)), '[]') INTO found FROM (
    SELECT j.id, j.created_on, j.data->>'jobId' AS job FROM pgboss.job_common j
    WHERE j.name = of_queue AND j.state < 'active' AND j.group_tier = of_server AND (j.priority > 0) = is_awaited AND j.start_after <= now()
      AND j.id = ANY (ARRAY(
        SELECT b.id FROM pgboss.job_common b
        WHERE b.name = of_queue AND b.state < 'active' AND NOT b.blocked AND b.data ? 'worker' AND b.group_id BETWEEN of_account AND of_account
        ORDER BY b.group_id
      ))
    LIMIT most FOR UPDATE SKIP LOCKED
  ) w
  WHERE (SELECT j."status" FROM "job" j WHERE j."id" = w.job) <> 'queued';
  wanted := least(most, places);
  IF wanted <= 0 THEN
    RETURN found;
  END IF;

  left_of := coalesce(key_places, '{}');
  FOREACH held_key IN ARRAY apart LOOP
    CONTINUE WHEN (left_of->>held_key)::integer <= 0;
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'created_on', w.created_on, 'is_new', true, 'places', places,
      'key', held_key, 'key_places', key_places->held_key)), '[]') INTO these FROM (
      SELECT j.id, j.created_on FROM pgboss.job_common j
      WHERE j.name = of_queue AND j.state < 'active' AND NOT j.blocked AND j.group_id = of_account || '/' || held_key
        AND j.group_tier = of_server AND (j.priority > 0) = is_awaited AND j.start_after <= now() AND j.created_on >= oldest
      ORDER BY j.created_on LIMIT least(wanted, (left_of->>held_key)::integer) FOR UPDATE SKIP LOCKED
    ) w;
    found := found || these;
    IF left_of ? held_key THEN
      left_of := jsonb_set(left_of, ARRAY[held_key], to_jsonb((left_of->>held_key)::integer - jsonb_array_length(these)));
    END IF;
  END LOOP;

  FOR waiting IN
    SELECT w.id, w.created_on, w.was_taken, j."api_key_id" AS key, coalesce(j."status" = 'queued', false) AS is_new FROM (
      SELECT j.id, j.created_on, j.data->>'jobId' AS job, j.data ? 'worker' AS was_taken FROM pgboss.job_common j
      WHERE j.name = of_queue AND j.state < 'active' AND NOT j.blocked AND j.group_id = of_account
        AND j.group_tier = of_server AND (j.priority > 0) = is_awaited AND j.start_after <= now() AND j.created_on >= oldest
      ORDER BY j.created_on
      LIMIT CASE WHEN key_limits IS NULL THEN wanted + jsonb_array_length(found) ELSE looked_through END FOR UPDATE SKIP LOCKED
    ) w
    LEFT JOIN LATERAL (SELECT b."api_key_id", b."status" FROM "job" b WHERE b."id" = w.job OFFSET 0) j ON true
    ORDER BY w.created_on
  LOOP
    EXIT WHEN taken = wanted;
    CONTINUE WHEN waiting.was_taken AND NOT waiting.is_new;
    IF waiting.is_new AND (left_of->>waiting.key)::integer <= 0 THEN
      full_ids := full_ids || waiting.id;
      full_keys := full_keys || waiting.key;
      CONTINUE;
    END IF;
    found := found || jsonb_build_array(jsonb_build_object('id', waiting.id, 'created_on', waiting.created_on, 'is_new', waiting.is_new,
      'places', places, 'key', waiting.key, 'key_places', key_places->waiting.key));
    taken := taken + 1;
    IF waiting.is_new AND left_of ? waiting.key THEN
      left_of := jsonb_set(left_of, ARRAY[waiting.key], to_jsonb((left_of->>waiting.key)::integer - 1));
    END IF;
  END LOOP;
  UPDATE pgboss.job_common j SET group_id = of_account || '/' || f.key FROM unnest(full_ids, full_keys) AS f (id, key)
  WHERE j.name = of_queue AND j.id = ANY (full_ids) AND j.id = f.id;
  IF cardinality(full_ids) > 0 THEN
    PERFORM set_config('sonant.moved_jobs', 'on', true);
  END IF;
  RETURN found;
END
$$;

-- Returns the jobs of all turns of one claim that the limits admit: the jobs of one account at several servers share its places.
CREATE OR REPLACE FUNCTION "fitting_jobs"(turns jsonb)
RETURNS TABLE (name text, awaited boolean, room integer, counted_as text, place bigint, lap integer, account text, id uuid, created_on timestamptz)
LANGUAGE sql STABLE STRICT
AS $$
  SELECT name, awaited, room, counted_as, place, lap, account, id, created_on FROM (
    SELECT *, row_number() OVER (PARTITION BY account, is_new ORDER BY awaited DESC, created_on) AS nth FROM (
      SELECT t.*, l.*, row_number() OVER (PARTITION BY t.account, l.key, l.is_new ORDER BY t.awaited DESC, l.created_on) AS nth_of_key
      FROM jsonb_to_recordset(turns) AS t (name text, awaited boolean, room integer, counted_as text, place bigint, lap integer, account text,
        share bigint, jobs jsonb)
      CROSS JOIN LATERAL (
        SELECT * FROM jsonb_to_recordset(t.jobs) AS j (id uuid, created_on timestamptz, is_new boolean, places integer, key text, key_places integer)
        ORDER BY j.created_on LIMIT t.share
      ) l
    ) k
    WHERE NOT is_new OR nth_of_key <= coalesce(key_places, nth_of_key)
  ) a
  WHERE NOT is_new OR nth <= coalesce(places, nth)
$$;

-- Takes the jobs of a queue that became due first, from `since` on, except those of some groups.
CREATE OR REPLACE FUNCTION "take_due"(queue text, since timestamptz, most integer, except_groups text[])
RETURNS TABLE (id uuid, retry_count integer, data jsonb)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH chosen AS MATERIALIZED (
    SELECT j.id FROM pgboss.job_common j
    WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.start_after >= coalesce(since, '-infinity') AND j.start_after <= now()
      AND (j.group_id IS NULL OR j.group_id <> ALL (except_groups))
    ORDER BY j.start_after LIMIT most FOR UPDATE SKIP LOCKED
  )
  UPDATE pgboss.job_common j SET state = 'active', started_on = now(), heartbeat_on = now(),
    retry_count = CASE WHEN j.started_on IS NOT NULL THEN j.retry_count + 1 ELSE j.retry_count END
  WHERE j.name = queue AND j.id = ANY (ARRAY(SELECT c.id FROM chosen c))
  RETURNING j.id, j.retry_count, j.data;
END
$$;

-- Returns for each queue when its first job from `since` on is due, null if none waits. `read_at` is the time of this call, `next_xid` the
-- id of the next transaction, and all transactions before `running_from` have ended.
CREATE OR REPLACE FUNCTION "due_queues"(queues text[], since timestamptz[])
RETURNS TABLE (queue text, is_due boolean, first_due timestamptz, read_at timestamptz, next_xid float8, running_from float8)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT w.queue, coalesce(f.start_after <= now(), false), f.start_after, now(), s.xmax::text::float8 + age(s.xmax::xid), s.xmin::text::float8
  FROM unnest(queues, since) AS w (queue, since)
  CROSS JOIN (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin, pg_snapshot_xmax(pg_current_snapshot()) AS xmax) s
  LEFT JOIN LATERAL (
    SELECT j.start_after FROM pgboss.job_common j
    WHERE j.name = w.queue AND j.state < 'active' AND NOT j.blocked AND j.start_after >= coalesce(w.since, '-infinity')
    ORDER BY j.start_after LIMIT 1
  ) f ON true;
END
$$;

-- Returns the request that queued a job, its trace, and whether somebody waits for it; null if the row has none of them. It is a function
-- of its own because the columns of the claim stay. VOLATILE lets it see rows committed after the claim's statement began.
CREATE OR REPLACE FUNCTION "queued_origin"(queue text, queue_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET enable_seqscan = off
AS $$
BEGIN
  RETURN (
    SELECT nullif(jsonb_strip_nulls(jsonb_build_object('requestId', j.data->'requestId', 'trace', j.data->'trace',
      'awaited', CASE WHEN j.priority > 0 THEN true END)), '{}'::jsonb)
    FROM pgboss.job_common j WHERE j.name = queue AND j.id = queue_id
  );
END
$$;
