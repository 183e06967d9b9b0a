/** `greatest` keeps a job's times in order if the database's clock is set back. */
export const STARTED_AT = 'greatest(now(), created_at)'
export const ENDED_AT = 'greatest(now(), started_at, created_at)'
