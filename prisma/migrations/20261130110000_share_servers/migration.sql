-- locks: worker (ACCESS EXCLUSIVE)
-- The newest turn in which the worker wrote its permits: a statement that arrives late changes nothing.
ALTER TABLE worker ADD COLUMN permits_turn integer DEFAULT 0 NOT NULL;

-- Divides each server's limit among the workers that serve it, and writes the permits of the caller. The oldest workers get the remainder. If
-- a pool would have no worker, they take turns. Permits that another worker holds stay its own until it or its rescuer writes fewer.
-- `servers` has for each one its `name`, `limit`, `pools`, whether every worker serves it (`shared`), the permits that the caller goes on
-- using meanwhile (`kept`) and the part that it needs if it does not serve it (`rest`). `own_pools` of a worker that stops are empty.
-- Returns no row if a later turn was first or the worker is not registered.
CREATE FUNCTION share_servers(worker_id text, turn integer, own_pools text[], dead_after interval, servers jsonb)
RETURNS TABLE(server text, fair integer, permits integer)
LANGUAGE plpgsql
AS $$
DECLARE
  asked record;
  parts integer;
  place integer;
  held integer;
  own integer;
  granted jsonb := '{}';
  answer jsonb := '[]';
BEGIN
  -- Programs without this function hold this lock alone while they read and write permits.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('sonant permits', 0));
  PERFORM pg_advisory_xact_lock(k.key) FROM (
    SELECT DISTINCT hashtextextended('sonant permits ' || (s->>'name'), 0) AS key FROM jsonb_array_elements(servers) s ORDER BY key
  ) k;

  -- Each statement of the loop sees what the last holder of the locks wrote.
  FOR asked IN
    SELECT * FROM jsonb_to_recordset(servers) AS s (name text, "limit" integer, pools text[], shared boolean, kept integer, rest integer)
  LOOP
    SELECT count(*) FILTER (WHERE w.serves), count(*) FILTER (WHERE w.serves AND w.id < worker_id),
      coalesce(sum(w.held) FILTER (WHERE w.id <> worker_id), 0), coalesce(sum(w.held) FILTER (WHERE w.id = worker_id), 0)
    INTO parts, place, held, own
    FROM (
      SELECT o.id, (o.permits->>asked.name)::integer AS held, CASE WHEN o.id = worker_id THEN own_pools <> '{}' AND (asked.shared OR own_pools && asked.pools)
        ELSE o.heartbeat_at > now() - dead_after AND o.pools <> '{}' AND (asked.shared OR o.pools && asked.pools) END AS serves
      FROM worker o OFFSET 0
    ) w;

    fair := asked.rest;
    IF own_pools <> '{}' AND (asked.shared OR own_pools && asked.pools) AND parts > 0 THEN
      IF asked."limit" < parts AND EXISTS (
        WITH served AS (
          SELECT p.pool, min(w.nth) AS nth FROM (
            SELECT o.pools, row_number() OVER (ORDER BY o.id) AS nth FROM worker o
            WHERE (o.id = worker_id OR o.heartbeat_at > now() - dead_after) AND o.pools <> '{}' AND (asked.shared OR o.pools && asked.pools)
          ) w CROSS JOIN LATERAL unnest(w.pools) AS p (pool) WHERE p.pool = ANY (asked.pools) GROUP BY p.pool
        )
        SELECT FROM served s WHERE s.nth > asked."limit"
      ) THEN
        -- A turn of ten seconds.
        place := (place + parts - (floor(extract(epoch FROM clock_timestamp()) / 10)::bigint * asked."limit") % parts) % parts;
      END IF;
      fair := asked."limit" / parts + (place < asked."limit" % parts)::integer;
    END IF;
    permits := greatest(least(asked.kept, own), least(fair, asked."limit" - held));
    IF permits > 0 THEN
      granted := granted || jsonb_build_object(asked.name, permits);
    END IF;
    answer := answer || jsonb_build_object('server', asked.name, 'fair', fair, 'permits', permits);
  END LOOP;

  -- The locks last until the commit is on the disk. One that changes no permits need not be: if a crash takes it back, the heartbeat is
  -- older by less than a second, which workers leave, and statements that were late have ended.
  IF EXISTS (SELECT FROM worker w WHERE w.id = worker_id AND w.permits::jsonb = granted) THEN
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  -- now() is from before the wait for the locks: a heartbeat may be newer.
  UPDATE worker w SET permits = granted::json, permits_turn = turn, heartbeat_at = greatest(w.heartbeat_at, now())
  WHERE w.id = worker_id AND w.permits_turn < turn;
  IF FOUND THEN
    RETURN QUERY SELECT * FROM jsonb_to_recordset(answer) AS a (server text, fair integer, permits integer);
  END IF;
END
$$;
