-- locks: job (ACCESS EXCLUSIVE)
-- Jobs from before keep nulls: to fill them in would rewrite every row and its ten index entries.
ALTER TABLE job ADD COLUMN voice text COLLATE "C", ADD COLUMN language text COLLATE "C", ADD COLUMN tags text[] COLLATE "C";
