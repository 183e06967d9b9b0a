const KEY_PREFIX = 'generate.'

export const workflowKey = (slug: string): string => `${KEY_PREFIX}${slug}`
export const workflowSlug = (endpointKey: string): string => endpointKey.slice(KEY_PREFIX.length)
export const predictionId = (jobId: string, attempt: number): string => `${jobId}-${attempt}`
