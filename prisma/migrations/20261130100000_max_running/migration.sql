-- locks: account (ACCESS EXCLUSIVE), api_key (ACCESS EXCLUSIVE)
-- Jobs that may be in status processing at once; null: no limit.
ALTER TABLE account ADD COLUMN max_running integer, ADD CONSTRAINT account_max_running_check CHECK (max_running > 0);
ALTER TABLE api_key ADD COLUMN max_running integer, ADD CONSTRAINT api_key_max_running_check CHECK (max_running > 0);
-- A claim asks them whether anybody has a limit.
CREATE INDEX account_max_running_idx ON account (id) WHERE max_running IS NOT NULL;
CREATE INDEX api_key_max_running_idx ON api_key (account_id) WHERE max_running IS NOT NULL;
