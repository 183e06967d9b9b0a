-- What the planner knows of jobs by duration, day and hour of acceptance. It knew nothing: it took a third of all jobs for longer than any
-- bound, and read most of them in the order of an index; and it took every job for a group of its own, and sorted all of them on disk.

-- concurrently
CREATE STATISTICS IF NOT EXISTS "job_duration" ON ((extract(epoch from ("completed_at" - "created_at")) * 1000)::bigint) FROM "job";
CREATE STATISTICS IF NOT EXISTS "job_hour" ON (date_bin('1 hour', "created_at", timestamptz '1970-01-01 00:00:00Z')) FROM "job";
CREATE STATISTICS IF NOT EXISTS "job_day" ON (date_bin('1 day', "created_at", timestamptz '1970-01-01 00:00:00Z')) FROM "job";
ANALYZE "job";
