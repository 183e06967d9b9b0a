-- A window of time in the audit of all accounts, which is looked for by what changed then, whenever that was.

-- concurrently
CREATE INDEX CONCURRENTLY "audit_entry_created_at_id_idx" ON "audit_entry"("created_at", "id");
