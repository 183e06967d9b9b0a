/**
 * SQL of a job's times. All of them are the database's own, and `created_at` is its clock as the API knows it (`src/db/database-clock.ts`):
 * where that clock is set back in between, a job ends when it began, and never before.
 */
export const STARTED_AT = 'greatest(now(), created_at)'
export const ENDED_AT = 'greatest(now(), started_at, created_at)'
