-- Files of jobs that left the table of jobs. Without `stored_at` a file is being written, without `dropped_at` its jobs are still in the table.
CREATE TABLE job_archive (
    account_id text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    storage_key text COLLATE "C" NOT NULL,
    jobs integer DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    sha256 bytea,
    stored_at timestamp(3) with time zone,
    dropped_at timestamp(3) with time zone,
    PRIMARY KEY (account_id, month, part)
);
