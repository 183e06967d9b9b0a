-- The sums of a ledger by day are read from the entries of those days alone, and from the index alone.

-- concurrently
CREATE INDEX CONCURRENTLY "credit_entry_account_id_created_at_kind_amount_idx" ON "credit_entry"("account_id", "created_at", "kind", "amount");
