-- `as_is`: speech keeps the loudness that its engine gives it; null: it is brought to that of all voices.
ALTER TABLE "voice_endpoint" ADD COLUMN "loudness" TEXT;
