-- The whole schema. prisma/schema.prisma says what the columns mean. By hand, as Prisma knows none of it: COLLATE "C" on
-- identifiers (bytewise order in a database of any locale), checks, partial indexes, partitions, vacuum settings, triggers and
-- functions. Databases that have the migrations before it go on: src/db/migrations/ledger.ts.

CREATE TYPE companion_role AS ENUM ('user', 'assistant');
CREATE TYPE credit_kind AS ENUM ('grant', 'charge', 'refund', 'carried');
CREATE TYPE job_decision AS ENUM ('none', 'pass', 'reject');
CREATE TYPE job_event_breadth AS ENUM ('all', 'type_status', 'each');
CREATE TYPE job_event_kind AS ENUM ('accepted', 'started', 'dropped', 'completed', 'failed');
CREATE TYPE job_rollup_span AS ENUM ('hour', 'day', 'all');
CREATE TYPE job_status AS ENUM ('queued', 'processing', 'completed', 'failed');
CREATE TYPE job_type AS ENUM ('voice', 'companion_chat', 'companion_retarget', 'companion_media_tag', 'generate');
CREATE TYPE user_role AS ENUM ('owner', 'member');
CREATE TYPE voice_kind AS ENUM ('preset', 'reference');
CREATE TYPE webhook_delivery_kind AS ENUM ('job', 'test');
CREATE TYPE webhook_delivery_state AS ENUM ('pending', 'succeeded', 'failed');

-- The installation, accounts, and who may do what

-- One row. A program that is older than "minimum_version" does not start.
CREATE TABLE installation (
  id integer DEFAULT 1 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  public_url text,
  minimum_version text,
  backed_up_at timestamp(3) with time zone,
  CONSTRAINT installation_id_check CHECK (id = 1),
  PRIMARY KEY (id)
);

-- Pays for its jobs: "credits" is the sum of its ledger.
CREATE TABLE account (
  id text NOT NULL COLLATE "C",
  name text NOT NULL,
  credits bigint DEFAULT 0 NOT NULL,
  webhook_url text,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT account_credits_check CHECK (credits >= 0),
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX account_name_key ON account (name);

-- The ledger. A job has at most one charge and one refund. Partitioned by the job's id; the default partition keeps entries without
-- a job for ever.
CREATE TABLE credit_entry (
  id bigserial NOT NULL,
  account_id text NOT NULL COLLATE "C",
  kind credit_kind NOT NULL,
  amount bigint NOT NULL,
  job_id text COLLATE "C",
  created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  public_id text COLLATE "C",
  CONSTRAINT credit_entry_job_id_check CHECK ((kind <> ALL (ARRAY['charge'::credit_kind, 'refund'::credit_kind])) OR (job_id IS NOT NULL))
)
PARTITION BY RANGE (job_id);
CREATE TABLE credit_entry_default PARTITION OF credit_entry DEFAULT;
CREATE UNIQUE INDEX credit_entry_default_job_id_kind_key ON credit_entry_default (job_id, kind);
CREATE INDEX credit_entry_account_id_id_idx ON credit_entry (account_id, id DESC);
CREATE UNIQUE INDEX credit_entry_job_id_kind_key ON credit_entry (job_id, kind);
ALTER TABLE credit_entry_default ADD CONSTRAINT credit_entry_default_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX credit_entry_carried_key ON credit_entry_default (account_id, created_at) WHERE (kind = 'carried'::credit_kind);
CREATE INDEX credit_entry_default_public_id_idx ON credit_entry_default (public_id) WHERE (public_id IS NOT NULL);

CREATE TABLE "user" (
  id text NOT NULL COLLATE "C",
  account_id text NOT NULL COLLATE "C",
  email text NOT NULL COLLATE "C",
  password_hash text,
  role user_role NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  disabled_at timestamp(3) with time zone,
  last_seen_at timestamp(3) with time zone,
  operator boolean DEFAULT false NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX user_account_id_email_key ON "user" (account_id, email);
CREATE INDEX user_email_idx ON "user" (email);

CREATE TABLE session (
  id text NOT NULL COLLATE "C",
  user_id text NOT NULL COLLATE "C",
  hash bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  seen_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  password_at timestamp(3) with time zone,
  PRIMARY KEY (id)
);
CREATE INDEX session_expires_at_idx ON session (expires_at);
CREATE UNIQUE INDEX session_hash_key ON session (hash);
CREATE INDEX session_user_id_idx ON session (user_id);

CREATE TABLE sign_in_link (
  hash bytea NOT NULL,
  user_id text NOT NULL COLLATE "C",
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  PRIMARY KEY (hash)
);
CREATE INDEX sign_in_link_user_id_idx ON sign_in_link (user_id);

-- Keeps only the SHA-256 of a key.
CREATE TABLE api_key (
  id text NOT NULL COLLATE "C",
  account_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  hash bytea NOT NULL,
  scopes text[],
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  hint text,
  expires_at timestamp(3) with time zone,
  created_by_id text COLLATE "C",
  last_used_at timestamp(3) with time zone,
  CONSTRAINT api_key_hash_check CHECK (octet_length(hash) = 32),
  PRIMARY KEY (id)
);
CREATE INDEX api_key_account_id_idx ON api_key (account_id);
CREATE UNIQUE INDEX api_key_hash_key ON api_key (hash);

-- Names are those of the moment: keys and users may be gone. The index of times serves the audit of all accounts.
CREATE TABLE audit_entry (
  id bigserial NOT NULL,
  account_id text COLLATE "C",
  action text NOT NULL,
  subject_id text COLLATE "C",
  subject_name text,
  detail text,
  actor_kind text NOT NULL,
  actor_id text COLLATE "C",
  actor_account_id text COLLATE "C",
  actor_name text,
  created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  public_id text COLLATE "C",
  PRIMARY KEY (id)
);
CREATE INDEX audit_entry_account_id_id_idx ON audit_entry (account_id, id DESC);
CREATE INDEX audit_entry_created_at_id_idx ON audit_entry (created_at, id);
CREATE UNIQUE INDEX audit_entry_public_id_key ON audit_entry (public_id);

-- What operators and accounts configure

CREATE TABLE voice_endpoint (
  slug text NOT NULL COLLATE "C",
  name text NOT NULL,
  description text,
  published boolean NOT NULL,
  required_scope text,
  voice_input text NOT NULL,
  inputs json NOT NULL,
  response_fields text[],
  engine json NOT NULL,
  time_limit_seconds integer NOT NULL,
  credits_per_character integer NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  audio jsonb,
  openai jsonb,
  captions jsonb,
  library_voices boolean DEFAULT false NOT NULL,
  markup text,
  loudness text,
  CONSTRAINT voice_endpoint_credits_per_character_check CHECK (credits_per_character >= 0),
  CONSTRAINT voice_endpoint_time_limit_seconds_check CHECK (time_limit_seconds > 0),
  PRIMARY KEY (slug)
);

CREATE TABLE voice (
  endpoint_slug text NOT NULL COLLATE "C",
  slug text NOT NULL COLLATE "C",
  "position" integer NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  kind voice_kind NOT NULL,
  engine_voice text,
  reference_audio bytea,
  reference_text text,
  language text,
  PRIMARY KEY (endpoint_slug, slug)
);

CREATE TABLE workflow (
  slug text NOT NULL COLLATE "C",
  name text NOT NULL,
  description text,
  inputs json NOT NULL,
  engine json NOT NULL,
  time_limit_seconds integer NOT NULL,
  credits_per_job integer NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT workflow_credits_per_job_check CHECK (credits_per_job >= 0),
  CONSTRAINT workflow_time_limit_seconds_check CHECK (time_limit_seconds > 0),
  PRIMARY KEY (slug)
);

-- A voice without "ready_at" is still being stored or deleted.
CREATE TABLE account_voice (
  id text NOT NULL COLLATE "C",
  account_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  storage_key text NOT NULL COLLATE "C",
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL,
  duration_ms integer NOT NULL,
  transcript text,
  language text,
  consent text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  ready_at timestamp(3) with time zone,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX account_voice_account_id_name_key ON account_voice (account_id, name);
CREATE UNIQUE INDEX account_voice_storage_key_key ON account_voice (storage_key);

CREATE TABLE lexicon (
  account_id text NOT NULL COLLATE "C",
  revision integer DEFAULT 1 NOT NULL,
  entries json NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  PRIMARY KEY (account_id)
);

-- Jobs. Jobs, artifacts and the ledger of jobs are partitioned by the job's id, which begins with its time; workers add partitions
-- (src/jobs/partitions)

-- Every job is updated two or three times and then never again, so autovacuum starts early. A partial index costs nothing to the
-- jobs that it leaves out. The statistics tell the planner of jobs by duration, day and hour, which it otherwise guesses wrong.
CREATE TABLE job (
  id text NOT NULL COLLATE "C",
  account_id text NOT NULL COLLATE "C",
  type job_type NOT NULL,
  endpoint_key text NOT NULL COLLATE "C",
  status job_status DEFAULT 'queued'::job_status NOT NULL,
  api_key_id text COLLATE "C",
  inputs json NOT NULL,
  webhook_url text,
  cost bigint DEFAULT 0 NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  started_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  error_code text,
  cause text,
  is_prohibited boolean,
  reason text,
  chat_id text COLLATE "C",
  media_url text,
  media_kind text,
  provider_job_id text COLLATE "C",
  gpu_execution_time_ms integer,
  chunks_done integer,
  chunks_total integer,
  hand_backs integer DEFAULT 0 NOT NULL,
  options jsonb,
  parts_done integer,
  user_id text COLLATE "C",
  CONSTRAINT job_attempt_check CHECK (attempt >= 0),
  CONSTRAINT job_completed_at_check CHECK ((status = ANY (ARRAY['completed'::job_status, 'failed'::job_status])) = (completed_at IS NOT NULL)),
  CONSTRAINT job_cost_check CHECK (cost >= 0),
  CONSTRAINT job_error_code_check CHECK ((status = 'failed'::job_status) = (error_code IS NOT NULL)),
  PRIMARY KEY (id)
)
PARTITION BY RANGE (id);
CREATE TABLE job_first PARTITION OF job FOR VALUES FROM (MINVALUE) TO (MAXVALUE)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_analyze_scale_factor='0.01', autovacuum_vacuum_insert_scale_factor='0.02');
CREATE INDEX job_first_account_id_duration_id_idx ON job_first (account_id, (((EXTRACT(epoch FROM (completed_at - created_at)) * (1000)::numeric))::bigint) DESC, id DESC) WHERE (completed_at IS NOT NULL);
CREATE INDEX job_account_id_api_key_id_id_idx ON job (account_id, api_key_id, id DESC);
CREATE INDEX job_account_id_completed_at_id_idx ON job (account_id, completed_at DESC, id DESC) WHERE (completed_at IS NOT NULL);
CREATE INDEX job_account_id_duration_id_idx ON job (account_id, (((EXTRACT(epoch FROM (completed_at - created_at)) * (1000)::numeric))::bigint) DESC, id DESC) WHERE (completed_at IS NOT NULL);
CREATE INDEX job_account_id_endpoint_key_id_idx ON job (account_id, endpoint_key, id DESC);
CREATE INDEX job_account_id_error_code_id_idx ON job (account_id, error_code, id DESC) WHERE (error_code IS NOT NULL);
CREATE INDEX job_account_id_id_idx ON job (account_id, id DESC);
CREATE INDEX job_account_id_is_prohibited_id_idx ON job (account_id, is_prohibited, id DESC) WHERE (is_prohibited IS NOT NULL);
CREATE INDEX job_account_id_status_id_idx ON job (account_id, status, id DESC);
CREATE INDEX job_account_id_type_id_idx ON job (account_id, type, id DESC);
CREATE INDEX job_status_id_idx ON job (status, id);
CREATE STATISTICS job_day ON date_bin('1 day'::interval, created_at, '1970-01-01 00:00:00+00'::timestamp with time zone) FROM job;
CREATE STATISTICS job_duration ON ((EXTRACT(epoch FROM completed_at - created_at) * 1000::numeric)::bigint) FROM job;
CREATE STATISTICS job_hour ON date_bin('01:00:00'::interval, created_at, '1970-01-01 00:00:00+00'::timestamp with time zone) FROM job;
CREATE STATISTICS job_first_day ON date_bin('1 day'::interval, created_at, '1970-01-01 00:00:00+00'::timestamp with time zone) FROM job_first;
CREATE STATISTICS job_first_duration ON ((EXTRACT(epoch FROM completed_at - created_at) * 1000::numeric)::bigint) FROM job_first;
CREATE STATISTICS job_first_hour ON date_bin('01:00:00'::interval, created_at, '1970-01-01 00:00:00+00'::timestamp with time zone) FROM job_first;

-- One output of a job; the store has the bytes.
CREATE TABLE artifact (
  id text NOT NULL COLLATE "C",
  job_id text NOT NULL COLLATE "C",
  output text NOT NULL COLLATE "C",
  storage_key text NOT NULL COLLATE "C",
  content_type text NOT NULL,
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL,
  duration_ms integer,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deleted_at timestamp(3) with time zone,
  captions text[],
  timing bytea,
  CONSTRAINT artifact_bytes_check CHECK (bytes >= 0),
  CONSTRAINT artifact_sha256_check CHECK (octet_length(sha256) = 32)
)
PARTITION BY RANGE (job_id);
CREATE TABLE artifact_first PARTITION OF artifact FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
CREATE UNIQUE INDEX artifact_first_job_id_output_key ON artifact_first (job_id, output);
CREATE UNIQUE INDEX artifact_job_id_output_key ON artifact (job_id, output);
ALTER TABLE artifact_first ADD CONSTRAINT artifact_first_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX artifact_first_storage_key_key ON artifact_first (storage_key);

-- Attempts that did not end their jobs. It has no foreign key, because adding one would hold up writes to "job".
CREATE TABLE job_attempt (
  job_id text NOT NULL COLLATE "C",
  attempt integer NOT NULL,
  started_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  ending text,
  worker text,
  cause text,
  PRIMARY KEY (job_id, attempt)
);

-- Attempts that can complete nothing any more: maintenance deletes the files that they stored.
CREATE TABLE abandoned_attempt (
  job_id text NOT NULL COLLATE "C",
  attempt integer NOT NULL,
  abandoned_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (job_id, attempt)
);
CREATE INDEX abandoned_attempt_abandoned_at_idx ON abandoned_attempt (abandoned_at);

-- Completed attempts whose speech was listened to: maintenance deletes its parts.
CREATE TABLE heard_attempt (
  job_id text NOT NULL COLLATE "C",
  attempt integer NOT NULL,
  completed_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (job_id, attempt)
);
CREATE INDEX heard_attempt_completed_at_idx ON heard_attempt (completed_at);

-- The answers that requests with an Idempotency-Key got, for 24 hours.
CREATE TABLE idempotency_record (
  account_id text NOT NULL COLLATE "C",
  key text NOT NULL COLLATE "C",
  request_hash bytea NOT NULL,
  job_id text NOT NULL COLLATE "C",
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  response json,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_record_created_at_idx ON idempotency_record (created_at);

-- Up to when an account's jobs were read by a window of time; "*" stands for all accounts.
CREATE TABLE job_horizon (
  account_id text NOT NULL COLLATE "C",
  at timestamp(3) with time zone NOT NULL,
  PRIMARY KEY (account_id)
);

-- How far a purge has come.
CREATE TABLE retention_progress (
  what text NOT NULL,
  done_to text NOT NULL COLLATE "C",
  PRIMARY KEY (what)
);

-- Counts and sums of jobs. Triggers write shards and deltas, and workers fold the deltas once a minute. Rows are written over and
-- over, so they leave room in their pages and are vacuumed early

-- The sum over the shards is exact at every moment. A single shard may be negative.
CREATE TABLE job_count (
  account_id text NOT NULL COLLATE "C",
  type job_type NOT NULL,
  status job_status NOT NULL,
  decision job_decision NOT NULL,
  shard integer NOT NULL,
  jobs bigint NOT NULL,
  PRIMARY KEY (account_id, type, status, decision, shard)
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0');

-- Sums by hour, day and all time of acceptance. Together with the deltas they are exact at every moment. A trigger writes the two
-- sums of histograms.
CREATE TABLE job_rollup (
  account_id text NOT NULL COLLATE "C",
  span job_rollup_span NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  type job_type NOT NULL,
  status job_status NOT NULL,
  decision job_decision NOT NULL,
  endpoint_key text NOT NULL COLLATE "C",
  api_key_id text COLLATE "C",
  error_code text,
  jobs bigint NOT NULL,
  credits bigint NOT NULL,
  characters bigint NOT NULL,
  audio_ms bigint NOT NULL,
  wait bigint[] NOT NULL,
  run bigint[] NOT NULL,
  wait_sum numeric,
  run_sum numeric
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');
CREATE INDEX job_rollup_empty_idx ON job_rollup (account_id) WHERE (jobs = 0);
CREATE UNIQUE INDEX job_rollup_key ON job_rollup (account_id, span, at, type, status, decision, endpoint_key, api_key_id, error_code) NULLS NOT DISTINCT;

-- Rows that no worker has folded yet.
CREATE TABLE job_rollup_delta (
  account_id text NOT NULL COLLATE "C",
  shard integer NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  type job_type NOT NULL,
  status job_status NOT NULL,
  decision job_decision NOT NULL,
  endpoint_key text NOT NULL COLLATE "C",
  api_key_id text COLLATE "C",
  error_code text,
  wait_bucket smallint,
  run_bucket smallint,
  jobs bigint NOT NULL,
  credits bigint NOT NULL,
  characters bigint NOT NULL,
  audio_ms bigint NOT NULL,
  started timestamp(3) with time zone,
  ended timestamp(3) with time zone,
  in_events boolean DEFAULT false NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0');
CREATE UNIQUE INDEX job_rollup_delta_events_key ON job_rollup_delta (account_id, at, shard, type, status, decision, endpoint_key, api_key_id, error_code, wait_bucket, run_bucket, started, ended, in_events) NULLS NOT DISTINCT;
CREATE INDEX job_rollup_delta_shard_idx ON job_rollup_delta (shard);

-- Sums by hour and day of what happened to jobs, each event by its own time.
CREATE TABLE job_event (
  account_id text NOT NULL COLLATE "C",
  breadth job_event_breadth NOT NULL,
  span job_rollup_span NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  kind job_event_kind NOT NULL,
  type job_type,
  status job_status,
  decision job_decision,
  endpoint_key text COLLATE "C",
  api_key_id text COLLATE "C",
  error_code text,
  jobs bigint NOT NULL,
  audio_ms bigint NOT NULL,
  wait bigint[] NOT NULL,
  run bigint[] NOT NULL,
  wait_sum numeric,
  run_sum numeric,
  credits bigint DEFAULT 0 NOT NULL,
  characters bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');
CREATE INDEX job_event_empty_idx ON job_event (account_id) WHERE (jobs = 0);
CREATE UNIQUE INDEX job_event_key ON job_event (account_id, breadth, span, at, kind, type, status, decision, endpoint_key, api_key_id, error_code) NULLS NOT DISTINCT;

-- Older jobs that the roll-up lacks: those after "filled_to", up to "until". Without a row it has them all.
CREATE TABLE job_rollup_backlog (
  id integer DEFAULT 1 NOT NULL,
  filled_to text NOT NULL COLLATE "C",
  until text NOT NULL COLLATE "C",
  CONSTRAINT job_rollup_backlog_id_check CHECK (id = 1),
  PRIMARY KEY (id)
);

-- The same of the events.
CREATE TABLE job_event_backlog (
  id integer DEFAULT 1 NOT NULL,
  filled_to text NOT NULL COLLATE "C",
  until text NOT NULL COLLATE "C",
  CONSTRAINT job_event_backlog_id_check CHECK (id = 1),
  PRIMARY KEY (id)
);

-- Companion chats

CREATE TABLE companion_chat (
  id text NOT NULL COLLATE "C",
  account_id text NOT NULL COLLATE "C",
  persona text,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX companion_chat_account_id_idx ON companion_chat (account_id);
CREATE INDEX companion_chat_updated_at_idx ON companion_chat (updated_at);

CREATE TABLE companion_turn (
  chat_id text NOT NULL COLLATE "C",
  "position" integer NOT NULL,
  role companion_role NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (chat_id, "position")
);

-- Webhooks

-- Signs deliveries.
CREATE TABLE webhook_secret (
  id bigserial NOT NULL,
  account_id text NOT NULL COLLATE "C",
  sealed bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamp(3) with time zone,
  public_id text COLLATE "C",
  PRIMARY KEY (id)
);
CREATE INDEX webhook_secret_account_id_id_idx ON webhook_secret (account_id, id DESC);
CREATE INDEX webhook_secret_expires_at_idx ON webhook_secret (expires_at) WHERE (expires_at IS NOT NULL);

-- Every delivery is updated twice and then never again. Beginning an attempt writes to no index.
CREATE TABLE webhook_delivery (
  id text NOT NULL COLLATE "C",
  account_id text NOT NULL COLLATE "C",
  kind webhook_delivery_kind NOT NULL,
  job_id text NOT NULL COLLATE "C",
  url text NOT NULL,
  "timestamp" bigint NOT NULL,
  signature text NOT NULL,
  body bytea,
  round integer DEFAULT 1 NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  state webhook_delivery_state DEFAULT 'pending'::webhook_delivery_state NOT NULL,
  outcome text,
  next_attempt_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  finished_at timestamp(3) with time zone,
  counted boolean DEFAULT true NOT NULL,
  CONSTRAINT webhook_delivery_attempt_check CHECK ((attempt >= 0) AND (attempt <= 4)),
  CONSTRAINT webhook_delivery_body_check CHECK ((state <> 'pending'::webhook_delivery_state) OR (body IS NOT NULL) OR ("timestamp" = 0)),
  CONSTRAINT webhook_delivery_finished_at_check CHECK ((state = 'pending'::webhook_delivery_state) = (finished_at IS NULL)),
  PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_analyze_scale_factor='0.01', fillfactor='45');
CREATE INDEX webhook_delivery_account_id_id_idx ON webhook_delivery (account_id, id DESC);
CREATE INDEX webhook_delivery_failed_idx ON webhook_delivery (account_id, id DESC) WHERE (state = 'failed'::webhook_delivery_state);
CREATE INDEX webhook_delivery_finished_at_body_idx ON webhook_delivery (finished_at) WHERE ((finished_at IS NOT NULL) AND (body IS NOT NULL));
CREATE INDEX webhook_delivery_finished_at_idx ON webhook_delivery (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX webhook_delivery_job_id_idx ON webhook_delivery (job_id);
CREATE INDEX webhook_delivery_pending_id_idx ON webhook_delivery (id) WHERE (state = 'pending'::webhook_delivery_state);

-- One try to hand a delivery over.
CREATE TABLE webhook_attempt (
  delivery_id text NOT NULL COLLATE "C",
  round integer NOT NULL,
  number integer NOT NULL,
  started_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  duration_ms integer,
  outcome text,
  response_status integer,
  response bytea,
  CONSTRAINT webhook_attempt_response_check CHECK (octet_length(response) <= 1024),
  PRIMARY KEY (delivery_id, round, number)
)
WITH (fillfactor='50');

-- As "job_count".
CREATE TABLE webhook_delivery_count (
  account_id text NOT NULL COLLATE "C",
  state webhook_delivery_state NOT NULL,
  shard integer NOT NULL,
  deliveries bigint NOT NULL,
  PRIMARY KEY (account_id, state, shard)
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0');

-- Workers

-- A worker whose heartbeat stops loses its jobs to the others.
CREATE TABLE worker (
  id text NOT NULL COLLATE "C",
  host text NOT NULL,
  version text NOT NULL,
  pools text[],
  slots integer NOT NULL,
  in_flight integer NOT NULL,
  gpus json NOT NULL,
  started_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  heartbeat_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  permits json DEFAULT '{}'::json NOT NULL,
  server json,
  away json DEFAULT '{}'::json NOT NULL,
  PRIMARY KEY (id)
);

-- Foreign keys: partitioned tables have none to each other

ALTER TABLE "user" ADD CONSTRAINT user_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE account_voice ADD CONSTRAINT account_voice_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE api_key ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE api_key ADD CONSTRAINT api_key_created_by_id_fkey FOREIGN KEY (created_by_id) REFERENCES "user"(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE companion_chat ADD CONSTRAINT companion_chat_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE companion_turn ADD CONSTRAINT companion_turn_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES companion_chat(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE credit_entry ADD CONSTRAINT credit_entry_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE job ADD CONSTRAINT job_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE lexicon ADD CONSTRAINT lexicon_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE session ADD CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sign_in_link ADD CONSTRAINT sign_in_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE voice ADD CONSTRAINT voice_endpoint_slug_fkey FOREIGN KEY (endpoint_slug) REFERENCES voice_endpoint(slug) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook_attempt ADD CONSTRAINT webhook_attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_delivery(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook_secret ADD CONSTRAINT webhook_secret_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE CASCADE;

-- Functions of jobs

-- Takes jobs out of a queue for a worker. The program installs a newer text at its start: src/queue/pgboss/claim_queued.sql.
CREATE FUNCTION claim_queued(queue text, free integer, after_account text, worker_id text, rooms jsonb) RETURNS TABLE(id uuid, retry_count integer, job_id text, account_id text, server text)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
BEGIN
  -- Ends with the transaction, not with the function. What a crash of the database takes back nobody has begun: a worker's next
  -- statement about a job is its charge, and that is on the disk only after this.
  PERFORM set_config('synchronous_commit', 'off', true);
  RETURN QUERY
  WITH RECURSIVE server AS (
    (SELECT j.group_tier AS name FROM pgboss.job_common j
     WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked ORDER BY j.group_tier LIMIT 1)
    UNION ALL
    SELECT (SELECT j.group_tier FROM pgboss.job_common j
            WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier > s.name ORDER BY j.group_tier LIMIT 1)
    FROM server s WHERE s.name IS NOT NULL
  ), open AS (
    SELECT s.name, least(free, coalesce(rooms->>s.name, rooms->>'')::integer) AS room FROM server s
    WHERE s.name IS NOT NULL AND coalesce((coalesce(rooms->>s.name, rooms->>''))::integer, 1) > 0
  ), turn AS (
    SELECT o.name, o.room, t.account, row_number() OVER (PARTITION BY o.name ORDER BY t.lap, t.account) AS place
    FROM open o CROSS JOIN LATERAL (
      WITH RECURSIVE later AS (
        (SELECT j.group_id AS account, 1 AS step FROM pgboss.job_common j
         WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND j.group_id > after_account
           AND j.start_after <= now()
         ORDER BY j.group_id LIMIT 1)
        UNION ALL
        SELECT (SELECT j.group_id FROM pgboss.job_common j
                WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND j.group_id > l.account
                  AND j.start_after <= now()
                ORDER BY j.group_id LIMIT 1), l.step + 1
        FROM later l WHERE l.account IS NOT NULL AND l.step < o.room
      ), earlier AS (
        (SELECT j.group_id AS account, 1 AS step FROM pgboss.job_common j
         WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND j.group_id <= after_account
           AND j.start_after <= now()
         ORDER BY j.group_id LIMIT 1)
        UNION ALL
        SELECT (SELECT j.group_id FROM pgboss.job_common j
                WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = o.name AND j.group_id > l.account
                  AND j.group_id <= after_account AND j.start_after <= now()
                ORDER BY j.group_id LIMIT 1), l.step + 1
        FROM earlier l WHERE l.account IS NOT NULL AND l.step < o.room
      )
      SELECT 1 AS lap, account FROM later WHERE account IS NOT NULL
      UNION ALL SELECT 2, account FROM earlier WHERE account IS NOT NULL
    ) t
  ), fair AS (
    SELECT *, (room + least(room, count(*) OVER (PARTITION BY name)) - 1) / least(room, count(*) OVER (PARTITION BY name)) AS share
    FROM turn
  ), found AS (
    SELECT f.name, f.room, f.place, l.id, row_number() OVER (PARTITION BY f.name, f.account ORDER BY l.created_on) AS nth
    FROM fair f CROSS JOIN LATERAL (
      SELECT j.id, j.created_on FROM pgboss.job_common j
      WHERE j.name = queue AND j.state < 'active' AND NOT j.blocked AND j.group_tier = f.name AND j.group_id = f.account
        AND j.start_after <= now()
      ORDER BY j.created_on LIMIT f.share FOR UPDATE SKIP LOCKED
    ) l
    WHERE f.place <= f.room
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY name ORDER BY nth, place) AS rank FROM found
  ), chosen AS MATERIALIZED (
    SELECT r.id, r.nth, r.place FROM ranked r WHERE r.rank <= r.room ORDER BY r.nth, r.place LIMIT free
  ), taken AS (
    UPDATE pgboss.job_common j SET state = 'active', started_on = now(), heartbeat_on = now(),
      retry_count = CASE WHEN j.started_on IS NOT NULL THEN j.retry_count + 1 ELSE j.retry_count END,
      data = j.data || jsonb_build_object('worker', worker_id)
    -- The ids as an array, so that they are looked up by the primary key: joined, the planner may walk all rows of the queue instead.
    -- Locked and checked above; the state repeated here would let it walk an index of all waiting rows.
    FROM chosen c WHERE j.name = queue AND j.id = ANY (ARRAY(SELECT id FROM chosen)) AND c.id = j.id
    RETURNING j.id, j.retry_count, j.data->>'jobId' AS job, j.group_id, j.group_tier, c.nth, c.place
  )
  SELECT t.id, t.retry_count, t.job, t.group_id, t.group_tier FROM taken t ORDER BY t.nth, t.place;
END
$$;

-- Refuses a job whose time lies in a window that was read already, or that nobody waits for any more. A time ahead of the clock was
-- written before the clock was set back.
CREATE FUNCTION refuse_late_job(account text, made timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF "made" < clock_timestamp() - interval '30 seconds' OR EXISTS (
    SELECT FROM "job_horizon" WHERE "account_id" IN ("account", '*') AND "at" > "made" AND "at" <= clock_timestamp()
  ) THEN
    RAISE EXCEPTION 'a job of % comes late', "made" USING ERRCODE = 'SN001';
  END IF;
END $$;

-- A cascade would delete the artifacts once their job cannot be seen any more, and the triggers count them by it.
CREATE FUNCTION delete_artifacts_of_job() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  DELETE FROM "artifact" WHERE "job_id" = OLD."id";
  RETURN OLD;
END $$;
CREATE TRIGGER job_delete_artifacts BEFORE DELETE ON job FOR EACH ROW EXECUTE FUNCTION delete_artifacts_of_job();

-- Notes in the transaction of the next attempt, or of the failure, that the attempt before it can complete nothing any more. Notes
-- its end too, if the worker could not. Keeps the newest 50.
CREATE FUNCTION note_abandoned_attempt() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO "abandoned_attempt" ("job_id", "attempt") VALUES (OLD."id", OLD."attempt") ON CONFLICT DO NOTHING;
  IF NEW."attempt" > OLD."attempt" AND NEW."status" = 'processing' THEN
    INSERT INTO "job_attempt" AS a ("job_id", "attempt", "started_at", "ended_at", "ending")
    VALUES (OLD."id", OLD."attempt", CASE WHEN OLD."attempt" = 1 THEN OLD."started_at" END, greatest(now(), OLD."started_at"), 'unknown')
    ON CONFLICT ("job_id", "attempt") DO UPDATE SET "ended_at" = greatest(excluded."ended_at", a."started_at"), "ending" = 'unknown'
      WHERE a."ended_at" IS NULL;
    -- A claim that had to wait is older than what it waited for.
    INSERT INTO "job_attempt" ("job_id", "attempt", "started_at")
    SELECT NEW."id", NEW."attempt", greatest(now(), NEW."created_at", a."ended_at")
    FROM "job_attempt" a WHERE a."job_id" = OLD."id" AND a."attempt" = OLD."attempt"
    ON CONFLICT DO NOTHING;
    DELETE FROM "job_attempt" WHERE "job_id" = NEW."id" AND "attempt" <= NEW."attempt" - 50;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER job_abandons_attempt AFTER UPDATE OF attempt, status ON job FOR EACH ROW WHEN (((old.attempt > 0) AND ((new.attempt > old.attempt) OR ((new.status = 'failed'::job_status) AND (old.status <> 'failed'::job_status))))) EXECUTE FUNCTION note_abandoned_attempt();

CREATE FUNCTION note_heard_attempt() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO "heard_attempt" ("job_id", "attempt") VALUES (NEW."id", NEW."attempt") ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER job_was_heard AFTER UPDATE OF status ON job FOR EACH ROW WHEN (((new.parts_done IS NOT NULL) AND (new.status = 'completed'::job_status) AND (old.status <> 'completed'::job_status))) EXECUTE FUNCTION note_heard_attempt();

-- Functions of counts and sums

-- The shard that this transaction writes alone until its end: transactions that shared one would wait for each other, some of them
-- in a deadlock. Takes the first free one of 16, else one that no other connection has.
CREATE FUNCTION job_count_shard() RETURNS integer
    LANGUAGE plpgsql
    AS $$
BEGIN
  FOR i IN 0..15 LOOP
    IF pg_try_advisory_xact_lock(7242002, (pg_backend_pid() + i) % 16) THEN
      RETURN (pg_backend_pid() + i) % 16;
    END IF;
  END LOOP;
  RETURN 16 + pg_backend_pid();
END $$;

CREATE FUNCTION job_decision_of(is_prohibited boolean) RETURNS job_decision
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE "is_prohibited" WHEN true THEN 'reject'::"job_decision" WHEN false THEN 'pass' ELSE 'none' END
$$;

-- Credits that an account has not got back.
CREATE FUNCTION job_credits(status job_status, cost bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN "status" = 'failed' THEN 0 ELSE "cost" END
$$;

CREATE FUNCTION job_characters(type job_type, inputs json) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN "type" = 'voice' THEN coalesce(char_length("inputs"->>'text'), 0) ELSE 0 END
$$;

-- The bucket of a duration: 0 for none, then eight to a doubling of the milliseconds.
CREATE FUNCTION job_bucket(duration interval) RETURNS smallint
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN "duration" IS NULL THEN NULL
    WHEN extract(epoch FROM "duration")::float8 < 0.001 THEN 0
    ELSE 1 + floor(8 / ln(2::float8) * ln(extract(epoch FROM "duration")::float8 * 1000)) END::smallint
$$;

-- Adds up pairs of bucket and jobs, each in one integer (bucket * 2^40 + jobs), and leaves empty buckets out.
CREATE FUNCTION job_histogram(pairs bigint[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT coalesce(array_agg(("bucket" << 40) + "jobs" ORDER BY "bucket"), '{}') FROM (
    SELECT ("pair" + (1::bigint << 39)) >> 40 AS "bucket", sum("pair" - (("pair" + (1::bigint << 39)) >> 40 << 40))::bigint AS "jobs"
    FROM unnest("pairs") AS "pair" GROUP BY 1
  ) AS "buckets" WHERE "jobs" <> 0
$$;

-- A histogram as one number, so that groups of histograms are a plain sum: the jobs of bucket b are its digits from 10^(12 * b) on.
CREATE FUNCTION job_histogram_sum(pairs bigint[]) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT coalesce(sum((("pair" - ("bucket" << 40)) || 'e' || 12 * "bucket")::numeric), 0)
  FROM (SELECT "pair", ("pair" + (1::bigint << 39)) >> 40 AS "bucket" FROM unnest("pairs") AS "pair") AS "parts"
$$;

CREATE FUNCTION sum_histograms() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NEW."wait_sum" IS NULL OR NEW."wait" IS DISTINCT FROM OLD."wait" THEN
    NEW."wait_sum" := "job_histogram_sum"(NEW."wait");
  END IF;
  IF NEW."run_sum" IS NULL OR NEW."run" IS DISTINCT FROM OLD."run" THEN
    NEW."run_sum" := "job_histogram_sum"(NEW."run");
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER job_event_sum BEFORE INSERT OR UPDATE ON job_event FOR EACH ROW EXECUTE FUNCTION sum_histograms();
CREATE TRIGGER job_rollup_sum BEFORE INSERT OR UPDATE ON job_rollup FOR EACH ROW EXECUTE FUNCTION sum_histograms();

-- The jobs that the roll-up lacks, under a lock that keeps them from being added meanwhile. Null if the oldest of the given jobs is
-- counted.
CREATE FUNCTION job_backlog(oldest text) RETURNS job_rollup_backlog
    LANGUAGE plpgsql
    AS $$
DECLARE
  backlog "job_rollup_backlog";
BEGIN
  SELECT * INTO backlog FROM "job_rollup_backlog";
  IF backlog."until" IS NULL OR "oldest" > backlog."until" THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(7242003);
  SELECT * INTO backlog FROM "job_rollup_backlog";
  RETURN backlog;
END $$;

-- The same of the events.
CREATE FUNCTION job_event_backlog(oldest text) RETURNS job_event_backlog
    LANGUAGE plpgsql
    AS $$
DECLARE
  backlog "job_event_backlog";
BEGIN
  SELECT * INTO backlog FROM "job_event_backlog";
  IF backlog."until" IS NULL OR "oldest" > backlog."until" THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(7242005);
  SELECT * INTO backlog FROM "job_event_backlog";
  RETURN backlog;
END $$;

CREATE FUNCTION count_inserted_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
  backlog CONSTANT "job_rollup_backlog" := "job_backlog"((SELECT min("id") FROM "new_jobs"));
  uncounted "job_event_backlog";
BEGIN
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("id") FROM "new_jobs"));
  END IF;
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, count(*) FROM "new_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    date_trunc('hour', "started_at", 'UTC'), date_trunc('hour', "completed_at", 'UTC'),
    uncounted."until" IS NULL OR "id" <= uncounted."filled_to" OR "id" > uncounted."until",
    count(*), sum("job_credits"("status", "cost")), sum("job_characters"("type", "inputs")), 0
  FROM "new_jobs" WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;
CREATE TRIGGER job_count_insert AFTER INSERT ON job REFERENCING NEW TABLE AS new_jobs FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_jobs();

-- Writes nothing for an update that leaves a job where it was.
CREATE FUNCTION count_updated_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
  uncounted "job_event_backlog";
BEGIN
  IF NOT EXISTS (
    SELECT FROM "old_jobs" o JOIN "new_jobs" n ON n."id" = o."id"
    WHERE (o."status", o."started_at", o."completed_at", o."cost", o."is_prohibited", o."error_code", o."account_id", o."type",
        o."endpoint_key", o."api_key_id", o."created_at")
      IS DISTINCT FROM (n."status", n."started_at", n."completed_at", n."cost", n."is_prohibited", n."error_code", n."account_id",
        n."type", n."endpoint_key", n."api_key_id", n."created_at")
  ) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("id") FROM "old_jobs"));
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("id") FROM "old_jobs"));
  END IF;

  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "decision", mine, sum("jobs") FROM (
    SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited") AS "decision", 1 AS "jobs" FROM "new_jobs"
    UNION ALL
    SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), -1 FROM "old_jobs"
  ) AS "moves"
  GROUP BY 1, 2, 3, 4 HAVING sum("jobs") <> 0
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    date_trunc('hour', "started_at", 'UTC'), date_trunc('hour', "completed_at", 'UTC'),
    uncounted."until" IS NULL OR "id" <= uncounted."filled_to" OR "id" > uncounted."until",
    sum("jobs"), sum("jobs" * "job_credits"("status", "cost")), sum("jobs" * "job_characters"("type", "inputs")), 0
  FROM (
    SELECT "id", "account_id", "created_at", "type", "status", "is_prohibited", "endpoint_key", "api_key_id", "error_code", "started_at",
      "completed_at", "cost", "inputs", 1 AS "jobs" FROM "new_jobs"
    UNION ALL
    SELECT "id", "account_id", "created_at", "type", "status", "is_prohibited", "endpoint_key", "api_key_id", "error_code", "started_at",
      "completed_at", "cost", "inputs", -1 FROM "old_jobs"
  ) AS "moves"
  WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  HAVING sum("jobs") <> 0 OR sum("jobs" * "job_credits"("status", "cost")) <> 0 OR sum("jobs" * "job_characters"("type", "inputs")) <> 0
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;
CREATE TRIGGER job_count_update AFTER UPDATE ON job REFERENCING OLD TABLE AS old_jobs NEW TABLE AS new_jobs FOR EACH STATEMENT EXECUTE FUNCTION count_updated_jobs();

CREATE FUNCTION count_deleted_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
  backlog CONSTANT "job_rollup_backlog" := "job_backlog"((SELECT min("id") FROM "old_jobs"));
  uncounted "job_event_backlog";
BEGIN
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("id") FROM "old_jobs"));
  END IF;
  INSERT INTO "job_count" AS c ("account_id", "type", "status", "decision", "shard", "jobs")
  SELECT "account_id", "type", "status", "job_decision_of"("is_prohibited"), mine, -count(*) FROM "old_jobs" GROUP BY 1, 2, 3, 4
  ON CONFLICT ("account_id", "type", "status", "decision", "shard") DO UPDATE SET "jobs" = c."jobs" + excluded."jobs";

  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "wait_bucket", "run_bucket", "started", "ended", "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT "account_id", mine, date_trunc('hour', "created_at", 'UTC'), "type", "status", "job_decision_of"("is_prohibited"),
    "endpoint_key", "api_key_id", "error_code", "job_bucket"("started_at" - "created_at"), "job_bucket"("completed_at" - "started_at"),
    date_trunc('hour', "started_at", 'UTC'), date_trunc('hour', "completed_at", 'UTC'),
    uncounted."until" IS NULL OR "id" <= uncounted."filled_to" OR "id" > uncounted."until",
    -count(*), -sum("job_credits"("status", "cost")), -sum("job_characters"("type", "inputs")), 0
  FROM "old_jobs" WHERE backlog."until" IS NULL OR "id" <= backlog."filled_to" OR "id" > backlog."until"
  GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "jobs" = d."jobs" + excluded."jobs", "credits" = d."credits" + excluded."credits",
    "characters" = d."characters" + excluded."characters";
  RETURN NULL;
END $$;
CREATE TRIGGER job_count_delete AFTER DELETE ON job REFERENCING OLD TABLE AS old_jobs FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_jobs();

CREATE FUNCTION count_no_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  DELETE FROM "job_count";
  DELETE FROM "job_rollup";
  DELETE FROM "job_rollup_delta";
  DELETE FROM "job_rollup_backlog";
  DELETE FROM "job_event";
  DELETE FROM "job_event_backlog";
  RETURN NULL;
END $$;
CREATE TRIGGER job_count_truncate AFTER TRUNCATE ON job FOR EACH STATEMENT EXECUTE FUNCTION count_no_jobs();

-- A completion records its artifacts in its own transaction, so their audio belongs to completed jobs.
CREATE FUNCTION count_inserted_audio() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
  uncounted "job_event_backlog";
BEGIN
  IF NOT EXISTS (SELECT FROM "new_artifacts" WHERE "duration_ms" <> 0) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("job_id") FROM "new_artifacts"));
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("job_id") FROM "new_artifacts"));
  END IF;
  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "ended",
    "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT j."account_id", mine, date_trunc('hour', j."created_at", 'UTC'), j."type", 'completed', "job_decision_of"(j."is_prohibited"),
    j."endpoint_key", j."api_key_id", date_trunc('hour', j."completed_at", 'UTC'),
    uncounted."until" IS NULL OR j."id" <= uncounted."filled_to" OR j."id" > uncounted."until", 0, 0, 0, sum(a."duration_ms")
  FROM "new_artifacts" a JOIN "job" j ON j."id" = a."job_id"
  WHERE a."duration_ms" <> 0 AND (backlog."until" IS NULL OR j."id" <= backlog."filled_to" OR j."id" > backlog."until")
  GROUP BY 1, 3, 4, 6, 7, 8, 9, 10
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "audio_ms" = d."audio_ms" + excluded."audio_ms";
  RETURN NULL;
END $$;
CREATE TRIGGER artifact_count_insert AFTER INSERT ON artifact REFERENCING NEW TABLE AS new_artifacts FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_audio();

CREATE FUNCTION count_deleted_audio() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine INTEGER;
  backlog "job_rollup_backlog";
  uncounted "job_event_backlog";
BEGIN
  IF NOT EXISTS (SELECT FROM "old_artifacts" WHERE "duration_ms" <> 0) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  backlog := "job_backlog"((SELECT min("job_id") FROM "old_artifacts"));
  SELECT * INTO uncounted FROM "job_event_backlog";
  IF uncounted."until" IS NOT NULL THEN
    uncounted := "job_event_backlog"((SELECT min("job_id") FROM "old_artifacts"));
  END IF;
  INSERT INTO "job_rollup_delta" AS d ("account_id", "shard", "at", "type", "status", "decision", "endpoint_key", "api_key_id", "ended",
    "in_events", "jobs", "credits", "characters", "audio_ms")
  SELECT j."account_id", mine, date_trunc('hour', j."created_at", 'UTC'), j."type", 'completed', "job_decision_of"(j."is_prohibited"),
    j."endpoint_key", j."api_key_id", date_trunc('hour', j."completed_at", 'UTC'),
    uncounted."until" IS NULL OR j."id" <= uncounted."filled_to" OR j."id" > uncounted."until", 0, 0, 0, -sum(a."duration_ms")
  FROM "old_artifacts" a JOIN "job" j ON j."id" = a."job_id"
  WHERE a."duration_ms" <> 0 AND (backlog."until" IS NULL OR j."id" <= backlog."filled_to" OR j."id" > backlog."until")
  GROUP BY 1, 3, 4, 6, 7, 8, 9, 10
  ON CONFLICT ("account_id", "at", "shard", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code", "wait_bucket",
    "run_bucket", "started", "ended", "in_events") DO UPDATE SET "audio_ms" = d."audio_ms" + excluded."audio_ms";
  RETURN NULL;
END $$;
CREATE TRIGGER artifact_count_delete AFTER DELETE ON artifact REFERENCING OLD TABLE AS old_artifacts FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_audio();

-- Adds folded deltas to the events: for all jobs, by type and status, and by everything, each by hour and day. Acceptances by
-- everything are in "job_rollup". One process at a time folds.
CREATE FUNCTION count_events() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM "old_deltas" WHERE "in_events") THEN
    RETURN NULL;
  END IF;
  INSERT INTO "job_event" AS e ("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id",
    "error_code", "jobs", "credits", "characters", "audio_ms", "wait", "run")
  SELECT "account_id", "breadth", "span", "begins", "kind", "t", "s", "d", "ep", "k", "ec", sum("jobs"), sum("paid"), sum("said"), sum("audio"),
    CASE WHEN count("w") = 0 THEN '{}' ELSE "job_histogram"(array_agg("w") FILTER (WHERE "w" IS NOT NULL)) END,
    CASE WHEN count("r") = 0 THEN '{}' ELSE "job_histogram"(array_agg("r") FILTER (WHERE "r" IS NOT NULL)) END
  FROM (
    SELECT o."account_id", b."breadth", p."span", date_trunc(p."span"::text, v."at", 'UTC') AS "begins", v."kind",
      CASE WHEN b."breadth" <> 'all' THEN o."type" END AS "t", CASE WHEN b."breadth" <> 'all' THEN o."status" END AS "s",
      CASE WHEN b."breadth" = 'each' THEN o."decision" END AS "d", CASE WHEN b."breadth" = 'each' THEN o."endpoint_key" END AS "ep",
      CASE WHEN b."breadth" = 'each' THEN o."api_key_id" END AS "k", CASE WHEN b."breadth" = 'each' THEN o."error_code" END AS "ec",
      o."jobs", CASE WHEN v."kind" = 'accepted' THEN o."credits" ELSE 0 END AS "paid",
      CASE WHEN v."kind" = 'accepted' THEN o."characters" ELSE 0 END AS "said",
      CASE WHEN v."kind" IN ('accepted', 'completed') THEN o."audio_ms" ELSE 0 END AS "audio",
      CASE WHEN o."jobs" <> 0 AND v."kind" IN ('accepted', 'started') THEN (o."wait_bucket"::bigint << 40) + o."jobs" END AS "w",
      CASE WHEN o."jobs" <> 0 AND v."kind" IN ('accepted', 'completed', 'failed') THEN (o."run_bucket"::bigint << 40) + o."jobs" END AS "r"
    FROM "old_deltas" o
    CROSS JOIN LATERAL (VALUES ('accepted'::"job_event_kind", o."at"), ('started', o."started"),
      ('dropped', CASE WHEN o."started" IS NULL AND o."jobs" <> 0 THEN o."ended" END),
      (CASE o."status" WHEN 'failed' THEN 'failed'::"job_event_kind" ELSE 'completed' END, o."ended")) v ("kind", "at")
    CROSS JOIN (VALUES ('all'::"job_event_breadth"), ('type_status'), ('each')) b ("breadth")
    CROSS JOIN (VALUES ('hour'::"job_rollup_span"), ('day')) p ("span")
    WHERE o."in_events" AND v."at" IS NOT NULL AND (b."breadth" <> 'each' OR v."kind" <> 'accepted')
  ) AS "events"
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  HAVING sum("jobs") <> 0 OR sum("paid") <> 0 OR sum("said") <> 0 OR sum("audio") <> 0 OR count("w") + count("r") <> 0
  ON CONFLICT ("account_id", "breadth", "span", "at", "kind", "type", "status", "decision", "endpoint_key", "api_key_id", "error_code")
    DO UPDATE SET "jobs" = e."jobs" + excluded."jobs", "credits" = e."credits" + excluded."credits",
      "characters" = e."characters" + excluded."characters", "audio_ms" = e."audio_ms" + excluded."audio_ms",
      "wait" = CASE WHEN excluded."wait" = '{}' THEN e."wait" ELSE "job_histogram"(e."wait" || excluded."wait") END,
      "run" = CASE WHEN excluded."run" = '{}' THEN e."run" ELSE "job_histogram"(e."run" || excluded."run") END;
  DELETE FROM "job_event" WHERE "jobs" = 0 AND "credits" = 0 AND "characters" = 0 AND "audio_ms" = 0 AND "wait" = '{}' AND "run" = '{}';
  RETURN NULL;
END $$;
CREATE TRIGGER job_rollup_delta_fold AFTER DELETE ON job_rollup_delta REFERENCING OLD TABLE AS old_deltas FOR EACH STATEMENT EXECUTE FUNCTION count_events();

-- Functions of webhooks

CREATE FUNCTION count_inserted_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
BEGIN
  INSERT INTO "webhook_delivery_count" AS c ("account_id", "state", "shard", "deliveries")
  SELECT "account_id", "state", mine, count(*) FROM "new_deliveries" WHERE "counted" GROUP BY 1, 2
  ON CONFLICT ("account_id", "state", "shard") DO UPDATE SET "deliveries" = c."deliveries" + excluded."deliveries";
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_delivery_count_insert AFTER INSERT ON webhook_delivery REFERENCING NEW TABLE AS new_deliveries FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_deliveries();

-- Beginning an attempt moves nothing, so it writes nothing.
CREATE FUNCTION count_updated_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine INTEGER;
BEGIN
  IF NOT EXISTS (
    SELECT FROM "old_deliveries" o JOIN "new_deliveries" n ON n."id" = o."id"
    WHERE (o."state", o."counted") IS DISTINCT FROM (n."state", n."counted")
  ) THEN
    RETURN NULL;
  END IF;
  mine := "job_count_shard"();
  INSERT INTO "webhook_delivery_count" AS c ("account_id", "state", "shard", "deliveries")
  SELECT "account_id", "state", mine, sum("deliveries") FROM (
    SELECT "account_id", "state", 1 AS "deliveries" FROM "new_deliveries" WHERE "counted"
    UNION ALL
    SELECT "account_id", "state", -1 FROM "old_deliveries" WHERE "counted"
  ) AS "moves"
  GROUP BY 1, 2 HAVING sum("deliveries") <> 0
  ON CONFLICT ("account_id", "state", "shard") DO UPDATE SET "deliveries" = c."deliveries" + excluded."deliveries";
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_delivery_count_update AFTER UPDATE ON webhook_delivery REFERENCING OLD TABLE AS old_deliveries NEW TABLE AS new_deliveries FOR EACH STATEMENT EXECUTE FUNCTION count_updated_deliveries();

CREATE FUNCTION count_deleted_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  mine CONSTANT INTEGER := "job_count_shard"();
BEGIN
  INSERT INTO "webhook_delivery_count" AS c ("account_id", "state", "shard", "deliveries")
  SELECT "account_id", "state", mine, -count(*) FROM "old_deliveries" WHERE "counted" GROUP BY 1, 2
  ON CONFLICT ("account_id", "state", "shard") DO UPDATE SET "deliveries" = c."deliveries" + excluded."deliveries";
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_delivery_count_delete AFTER DELETE ON webhook_delivery REFERENCING OLD TABLE AS old_deliveries FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_deliveries();

CREATE FUNCTION count_no_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  DELETE FROM "webhook_delivery_count";
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_delivery_count_truncate AFTER TRUNCATE ON webhook_delivery FOR EACH STATEMENT EXECUTE FUNCTION count_no_deliveries();

-- Autovacuum never analyzes a partitioned table as a whole.
ANALYZE job;
ANALYZE artifact;
ANALYZE credit_entry;
