/** A row that another transaction holds longer than this must not keep the others of a batch: each is then written alone. */
const BATCH_WAIT = '250ms'
const NO_LIMIT = '0'

/** How long a statement about so many rows waits for a lock. */
export const lockWait = (rows: number): string => (rows === 1 ? NO_LIMIT : BATCH_WAIT)

/**
 * A condition that is always true, for the part of a statement that reads before any row is locked: from there on the statement waits so
 * long for a lock. It needs no transaction of its own, which takes three more ways to the database.
 * @param wait the parameter with `lockWait`
 */
export const limitingLockWaits = (wait: `$${number}`): string =>
  `(select set_config('lock_timeout', ${wait}::text, true)) is not null`
