import { integer } from './settings-fields.ts'

/** In days; 0: for ever. */
export interface RetentionSettings {
  readonly jobDays: number
  readonly artifactDays: number
  readonly chatDays: number
}

const MIN_JOB_DAYS = 400
const MAX_DAYS = 36_500

export const retentionFields = {
  JOB_RETENTION_DAYS: integer(0, MAX_DAYS, 0)
    .refine(
      (days) => days === 0 || days >= MIN_JOB_DAYS,
      `must be 0 (for ever) or at least ${MIN_JOB_DAYS}: an export reaches back 366 days`,
    )
    .describe('For how many days jobs are kept: 400 or more. 0: for ever. The ledger keeps every entry.'),
  ARTIFACT_RETENTION_DAYS: integer(0, MAX_DAYS, 0).describe(
    'For how many days audio is kept. URLs of deleted audio answer 410. 0: for ever.',
  ),
  CHAT_RETENTION_DAYS: integer(0, MAX_DAYS, 0).describe(
    'For how many days chats of the companion are kept. 0: for ever.',
  ),
}

export const retentionSettings = (
  values: Readonly<Record<keyof typeof retentionFields, number>>,
): RetentionSettings => ({
  jobDays: values.JOB_RETENTION_DAYS,
  artifactDays: values.ARTIFACT_RETENTION_DAYS,
  chatDays: values.CHAT_RETENTION_DAYS,
})
