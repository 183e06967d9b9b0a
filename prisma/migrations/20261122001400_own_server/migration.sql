-- The server that a worker owns, as its last heartbeat reported it; null for workers without one, and those of earlier versions.
ALTER TABLE "worker" ADD COLUMN "server" JSON;
