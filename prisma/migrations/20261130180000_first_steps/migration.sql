-- locks: user (ACCESS EXCLUSIVE)
-- The time when the user put the first steps of the console away.
ALTER TABLE "user" ADD COLUMN first_steps_dismissed_at timestamptz(3);
