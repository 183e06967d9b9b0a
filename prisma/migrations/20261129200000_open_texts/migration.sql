-- locks: account (ACCESS EXCLUSIVE)
-- Credits that speech under way will cost: nothing else may spend them. The balance stays the sum of the ledger.
ALTER TABLE account ADD COLUMN held bigint DEFAULT 0 NOT NULL;
ALTER TABLE account ADD CONSTRAINT account_held_check CHECK (held BETWEEN 0 AND credits) NOT VALID;

-- locks: job (ACCESS EXCLUSIVE)
-- Credits that are held for an unfinished job whose text is still written; and until when it waits for more text.
ALTER TABLE job ADD COLUMN held bigint, ADD COLUMN open_until timestamp(3) with time zone;

-- concurrently
-- locks: account (SHARE UPDATE EXCLUSIVE)
ALTER TABLE account VALIDATE CONSTRAINT account_held_check;
