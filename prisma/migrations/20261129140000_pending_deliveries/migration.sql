-- concurrently
-- locks: webhook_delivery (SHARE UPDATE EXCLUSIVE)
-- A list of what is pending reads no delivery that has ended, and none of other accounts.
CREATE INDEX CONCURRENTLY webhook_delivery_account_id_pending_idx ON webhook_delivery (account_id, id DESC) WHERE (state = 'pending'::webhook_delivery_state);
