-- locks: account (SHARE ROW EXCLUSIVE)
-- Long texts of an account, with their earlier versions and the jobs that speak their paragraphs.
CREATE TABLE project (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL REFERENCES account (id) ON UPDATE CASCADE ON DELETE RESTRICT,
    name text NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    settings json NOT NULL,
    speakers json NOT NULL,
    chapters json NOT NULL,
    characters integer NOT NULL,
    paragraphs integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    held_since timestamp(3) with time zone NOT NULL,
    user_id text COLLATE "C",
    api_key_id text COLLATE "C"
);
CREATE INDEX project_account_id_idx ON project (account_id);

CREATE TABLE project_version (
    project_id text COLLATE "C" NOT NULL REFERENCES project (id) ON UPDATE CASCADE ON DELETE CASCADE,
    revision integer NOT NULL,
    name text NOT NULL,
    settings json NOT NULL,
    speakers json NOT NULL,
    chapters json NOT NULL,
    characters integer NOT NULL,
    paragraphs integer NOT NULL,
    saved_at timestamp(3) with time zone NOT NULL,
    user_id text COLLATE "C",
    api_key_id text COLLATE "C",
    PRIMARY KEY (project_id, revision)
);

-- Without a reference to the job, whose table is partitioned and whose rows leave it.
CREATE TABLE project_take (
    project_id text COLLATE "C" NOT NULL REFERENCES project (id) ON UPDATE CASCADE ON DELETE CASCADE,
    paragraph text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    chosen_at timestamp(3) with time zone,
    PRIMARY KEY (project_id, paragraph, job_id)
);
