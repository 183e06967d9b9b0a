-- locks: voice_endpoint (ACCESS EXCLUSIVE)
ALTER TABLE voice_endpoint ADD COLUMN code text;
