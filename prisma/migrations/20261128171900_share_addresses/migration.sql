-- Users of several accounts may have one address.
DROP INDEX "user_email_key";
DROP INDEX "user_account_id_idx";
CREATE UNIQUE INDEX "user_account_id_email_key" ON "user" ("account_id", "email");
CREATE INDEX "user_email_idx" ON "user" ("email");
