const KEY_PREFIX = 'generate.'

/** The endpoint_key of a workflow's jobs. */
export const workflowKey = (slug: string): string => `${KEY_PREFIX}${slug}`
/** The workflow behind an endpoint_key. */
export const workflowSlug = (endpointKey: string): string => endpointKey.slice(KEY_PREFIX.length)
/** What a server knows an attempt at a job by. */
export const predictionId = (jobId: string, attempt: number): string => `${jobId}-${attempt}`
