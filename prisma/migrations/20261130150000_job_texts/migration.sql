-- With JOB_TEXTS=off an ended voice job keeps the number of its characters in the place of its inputs.
CREATE OR REPLACE FUNCTION job_characters(type job_type, inputs json) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN "type" = 'voice' THEN coalesce(char_length("inputs"->>'text'), ("inputs"->>'characters')::int, 0) ELSE 0 END
$$;

CREATE OR REPLACE VIEW sonant_v1.jobs WITH (security_barrier) AS
SELECT j.id AS job_id, j.account_id, j.type::text AS type, j.endpoint_key, j.status::text AS status, j.error_code, j.is_prohibited, j.api_key_id,
  j.voice, j.language, j.tags, j.cost, j.attempt AS attempts,
  CASE WHEN j.type = 'voice' THEN coalesce(char_length(j.inputs ->> 'text'), (j.inputs ->> 'characters')::int) END AS characters,
  (SELECT a.duration_ms FROM artifact a WHERE a.job_id = j.id AND a.output = 'audio') AS audio_ms,
  j.created_at, j.started_at, j.completed_at,
  CASE WHEN j.started_at IS NOT NULL THEN greatest(0, extract(epoch FROM j.started_at - j.created_at) * 1000)::bigint END AS wait_ms,
  CASE WHEN j.completed_at IS NOT NULL AND j.started_at IS NOT NULL
    THEN greatest(0, extract(epoch FROM j.completed_at - j.started_at) * 1000)::bigint END AS run_ms,
  CASE WHEN j.completed_at IS NOT NULL THEN greatest(0, extract(epoch FROM j.completed_at - j.created_at) * 1000)::bigint END AS duration_ms,
  coalesce(j.changed_at, j.completed_at, j.started_at, j.created_at) AS changed_at
FROM job j
WHERE j.account_id = ANY (ARRAY(SELECT a.id FROM account a JOIN data_grant g ON g.account_id IS NULL OR g.account_id = a.id WHERE g.role = session_user));
