import type { JobDetailQuery } from '../operations.ts'
import { isolated } from '../parts/format.ts'
import { keyName } from '../parts/key-name.ts'

/** A job with all that its page shows. */
export type Job = JobDetailQuery['job']

type Submitted = Pick<Job, 'apiKeyId' | 'apiKeyName' | 'submittedBy'>

/** With which key a job was submitted, or by which user of the console. */
export function submitterOf({ apiKeyId, apiKeyName, submittedBy }: Submitted): string {
  if (apiKeyId) return apiKeyName ?? keyName(submittedBy?.name, true)
  return submittedBy?.name ? `the console, by ${isolated(submittedBy.name)}` : 'the console'
}
