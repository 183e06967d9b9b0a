alter table job add column chunks_done integer, add column chunks_total integer;
