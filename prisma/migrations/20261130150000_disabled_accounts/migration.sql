-- locks: account (ACCESS EXCLUSIVE)
-- Keys and sessions of the account are refused from this time on; null: the account may be used.
ALTER TABLE account ADD COLUMN disabled_at timestamptz(3);
