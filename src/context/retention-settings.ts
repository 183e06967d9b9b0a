import { integer } from './settings-fields.ts'

/** For how many days things are kept; 0: for ever. */
export interface RetentionSettings {
  /** 0, or long enough for every window of an export. */
  readonly jobDays: number
  readonly artifactDays: number
  readonly chatDays: number
}

/** An export reaches back 366 days, and some more for what runs late. */
const MIN_JOB_DAYS = 400
const MAX_DAYS = 36_500

/** The variables that set it. */
export const retentionFields = {
  JOB_RETENTION_DAYS: integer(0, MAX_DAYS, 0).refine(
    (days) => days === 0 || days >= MIN_JOB_DAYS,
    `must be 0 (for ever) or at least ${MIN_JOB_DAYS}: an export reaches back 366 days`,
  ),
  ARTIFACT_RETENTION_DAYS: integer(0, MAX_DAYS, 0),
  CHAT_RETENTION_DAYS: integer(0, MAX_DAYS, 0),
}

/** What they say. */
export const retentionSettings = (
  values: Readonly<Record<keyof typeof retentionFields, number>>,
): RetentionSettings => ({
  jobDays: values.JOB_RETENTION_DAYS,
  artifactDays: values.ARTIFACT_RETENTION_DAYS,
  chatDays: values.CHAT_RETENTION_DAYS,
})
