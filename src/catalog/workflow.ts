import type { JsonSchema } from './voice-endpoint.ts'

/** The scope that every workflow asks for; not granted by default (contract.md section 8). */
export const GENERATION_SCOPE = 'generate:workflow'

/** The server that runs a workflow (contract.md section 8). */
export interface WorkflowEngine {
  readonly kind: 'cog'
  /** Without the trailing slash. */
  readonly base_url: string
  /** Predictions that all workers together run on the server at once, unless something else names it with a lower limit. */
  readonly max_in_flight: number
  /** How long a server that is full is asked again before the job fails with PROVIDER_BUSY. */
  readonly busy_patience_seconds: number
  /** How long a server that is away is asked again before the job fails with PROVIDER_UNAVAILABLE; absent from files of earlier versions. */
  readonly retry_seconds?: number
}

/** A workflow as every process holds it in memory (contract.md section 9). */
export interface Workflow {
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly inputs: JsonSchema
  readonly engine: WorkflowEngine
  readonly timeLimitSeconds: number
  readonly creditsPerJob: number
}

const KEY_PREFIX = 'generate.'

/** The endpoint_key of a workflow's jobs (spec 2.7). */
export const workflowKey = (slug: string): string => `${KEY_PREFIX}${slug}`
/** The workflow behind an endpoint_key. */
export const workflowSlug = (endpointKey: string): string => endpointKey.slice(KEY_PREFIX.length)
/** What a server knows an attempt at a job by. */
export const predictionId = (jobId: string, attempt: number): string => `${jobId}-${attempt}`
