-- locks: worker (ACCESS EXCLUSIVE)
-- Workers note here how each endpoint's engine is at each of its servers, with the sums of each minute of the last hour.
CREATE TABLE engine_server (
    endpoint_slug text COLLATE "C" NOT NULL,
    server text COLLATE "C" NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone,
    spoke_at timestamp(3) with time zone,
    took_ms integer,
    audio_ms integer,
    voices_offered integer,
    voices_missing text[] DEFAULT '{}' NOT NULL,
    failure text,
    error text,
    failing_since timestamp(3) with time zone,
    PRIMARY KEY (endpoint_slug, server)
);

CREATE TABLE engine_minute (
    endpoint_slug text COLLATE "C" NOT NULL,
    server text COLLATE "C" NOT NULL,
    minute timestamp(3) with time zone NOT NULL,
    spoken integer NOT NULL,
    failed integer NOT NULL,
    took_ms bigint NOT NULL,
    audio_ms bigint NOT NULL,
    PRIMARY KEY (endpoint_slug, server, minute)
);

ALTER TABLE worker ADD COLUMN engines json DEFAULT '{}'::json NOT NULL;
