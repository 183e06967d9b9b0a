-- locks: job (ACCESS EXCLUSIVE)
-- The attempt whose engine loads the voice's model into memory; null: none. It says nothing once a later attempt has begun.
ALTER TABLE job ADD COLUMN loading_attempt integer;
