-- locks: user (ACCESS EXCLUSIVE)
-- The person at the OpenID Connect provider; null: the user signs in here.
ALTER TABLE "user" ADD COLUMN oidc_issuer text, ADD COLUMN oidc_subject text;
CREATE UNIQUE INDEX user_oidc_issuer_oidc_subject_key ON "user" (oidc_issuer, oidc_subject);
