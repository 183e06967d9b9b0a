export const JOB_DAYS = 400
export const ARTIFACT_DAYS = 30
export const CHAT_DAYS = 10

/** A service whose retention is on: everything is kept for another time. */
export const RETENTION = {
  JOB_RETENTION_DAYS: String(JOB_DAYS),
  ARTIFACT_RETENTION_DAYS: String(ARTIFACT_DAYS),
  CHAT_RETENTION_DAYS: String(CHAT_DAYS),
}
