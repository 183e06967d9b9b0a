-- Engines of a worker's pools that did not answer its last probes, with the reason.
ALTER TABLE "worker" ADD COLUMN "away" JSON NOT NULL DEFAULT '{}';
