-- The oldest program that may start on this schema, raised by migrations that take something away from older ones; and the last backup.
ALTER TABLE "installation" ADD COLUMN "minimum_version" TEXT, ADD COLUMN "backed_up_at" TIMESTAMPTZ(3);
