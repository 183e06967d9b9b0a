-- Revision 8. A change of this text takes the next number: processes of an older revision leave it in place.
--
-- A worker takes jobs out of a queue with it. For each server, the accounts that wait for it take turns, beginning after the account
-- that was served last. Jobs that somebody waits for have a priority: they come first, and their accounts take turns among themselves.
-- Every fourth job is one of the others. `after_account` holds, with a space between, the account served last, the last account of an
-- awaited job, and the number of awaited jobs taken in a row; an older process passes the first alone.
-- `rooms` maps a server to the number of jobs that this worker can take for it; '' stands for all servers that it does not name. With
-- `awaited`, such a map for the jobs that somebody waits for, these leave the room of the others alone, and none waits for another
-- kind; an older process passes no such map, and both kinds share the room. `full` lists accounts of which this worker takes no awaited
-- job. The
-- workers have settled beforehand how many requests each may have at a server (`worker.permits`), so a claim counts nothing and waits
-- for no other. The claim leaves out an account whose jobs all wait for a later time.
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
SET enable_material = off SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  last_served CONSTANT text := split_part(after_account, ' ', 1);
  last_awaited CONSTANT text := split_part(after_account, ' ', 2);
  full_accounts CONSTANT jsonb := coalesce(rooms->'full', '[]');
  in_a_row CONSTANT integer := coalesce(nullif(split_part(after_account, ' ', 3), '')::integer, 0);
BEGIN
  RETURN QUERY
  WITH RECURSIVE server AS (
    (SELECT j.group_tier AS name FROM pgboss.job_common j
     WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked ORDER BY j.group_tier LIMIT 1)
    UNION ALL
    SELECT (SELECT j.group_tier FROM pgboss.job_common j
            WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier > s.name ORDER BY j.group_tier LIMIT 1)
    FROM server s WHERE s.name IS NOT NULL
  ), open AS (
    SELECT s.name, c.awaited, c.after, least(free, coalesce(c.rooms->>s.name, c.rooms->>'')::integer) AS room,
      CASE WHEN c.rooms ? s.name THEN s.name ELSE '' END AS counted_as
    FROM server s CROSS JOIN (VALUES (true, last_awaited, coalesce(rooms->'awaited', rooms)), (false, last_served, rooms)) c (awaited, after, rooms)
    WHERE s.name IS NOT NULL AND coalesce((coalesce(c.rooms->>s.name, c.rooms->>''))::integer, 1) > 0
  ), turn AS (
    SELECT o.name, o.awaited, o.room, o.counted_as, t.lap, t.account, row_number() OVER (PARTITION BY o.name, o.awaited ORDER BY t.lap, t.account) AS place
    FROM open o CROSS JOIN LATERAL (
      WITH RECURSIVE later AS (
        (SELECT j.group_id AS account, 1 AS step FROM pgboss.job_common j
         WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND (j.priority > 0) = o.awaited AND j.group_id > o.after
           AND j.start_after <= now() AND NOT (o.awaited AND full_accounts ? j.group_id)
         ORDER BY j.group_id LIMIT 1)
        UNION ALL
        SELECT (SELECT j.group_id FROM pgboss.job_common j
                WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND (j.priority > 0) = o.awaited AND j.group_id > l.account
                  AND j.start_after <= now() AND NOT (o.awaited AND full_accounts ? j.group_id)
                ORDER BY j.group_id LIMIT 1), l.step + 1
        FROM later l WHERE l.account IS NOT NULL AND l.step < o.room
      ), earlier AS (
        (SELECT j.group_id AS account, 1 AS step FROM pgboss.job_common j
         WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND (j.priority > 0) = o.awaited AND j.group_id <= o.after
           AND j.start_after <= now() AND NOT (o.awaited AND full_accounts ? j.group_id)
         ORDER BY j.group_id LIMIT 1)
        UNION ALL
        SELECT (SELECT j.group_id FROM pgboss.job_common j
                WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND (j.priority > 0) = o.awaited AND j.group_id > l.account
                  AND j.group_id <= o.after AND j.start_after <= now() AND NOT (o.awaited AND full_accounts ? j.group_id)
                ORDER BY j.group_id LIMIT 1), l.step + 1
        FROM earlier l WHERE l.account IS NOT NULL AND l.step < o.room
      )
      SELECT 1 AS lap, account FROM later WHERE account IS NOT NULL
      UNION ALL SELECT 2, account FROM earlier WHERE account IS NOT NULL
    ) t
  ), fair AS (
    SELECT *, (room + least(room, count(*) OVER (PARTITION BY name, awaited)) - 1)
      / least(room, count(*) OVER (PARTITION BY name, awaited)) AS share
    FROM turn
  ), found AS (
    SELECT f.name, f.awaited, f.room, f.counted_as, f.place, f.lap, f.account, l.id, l.created_on,
      row_number() OVER (PARTITION BY f.name, f.awaited, f.account ORDER BY l.created_on) AS nth
    FROM fair f CROSS JOIN LATERAL (
      SELECT j.id, j.created_on FROM pgboss.job_common j
      WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = f.name AND (j.priority > 0) = f.awaited AND j.group_id = f.account
        AND j.start_after <= now()
      ORDER BY j.created_on LIMIT f.share FOR UPDATE SKIP LOCKED
    ) l
    WHERE f.place <= f.room
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
      data = j.data || jsonb_build_object('worker', worker_id)
    -- The array of ids makes the planner use the primary key; with a join it may read all rows of the queue. `found` has locked the rows
    -- and checked their state; the state here as well would let the planner read an index of all waiting rows.
    FROM chosen c WHERE j.name = queue AND j.id = ANY (ARRAY(SELECT id FROM chosen)) AND c.id = j.id
    RETURNING j.id, j.retry_count, j.data->>'jobId' AS job, j.group_id, j.group_tier, c.turn, c.nth, c.place
  )
  SELECT t.id, t.retry_count, t.job, t.group_id, t.group_tier FROM taken t ORDER BY t.turn, t.nth, t.place;
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
