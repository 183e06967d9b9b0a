import { call } from '../http.ts'
import { until } from '../wait.ts'

type Outcome = { outputs?: { audio: string }; error?: string; error_code?: string }
export type VoiceJob = { job_id: string; status: string; created_at: string; completed_at: string | null } & Outcome

/** A small endpoint of the embedded engine, as an endpoint file holds it. */
export const endpoint = (slug: string, changes: object = {}) => {
  const properties = { text: { type: 'string', minLength: 1, maxLength: 500 }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  const voices = [{ slug: 'calm', name: 'Calm', description: 'A voice.', kind: 'preset', engine_voice: 'en-us+f3' }]
  const fixed = { published: true, required_scope: null, voice_input: 'voice', engine: { kind: 'espeak' } }
  const limits = { time_limit_seconds: 60, credits_per_character: 1, response_fields: ['created_at', 'completed_at'] }
  return { slug, name: slug, description: 'Made by a test.', ...fixed, ...limits, inputs, voices, ...changes }
}

/** Polls a voice job until it is completed or failed. */
export const finishedJob = (url: string, key: string, jobId: string, deadlineMs = 60_000): Promise<VoiceJob> => {
  const poll = async () => {
    const job = (await call(`${url}/api/v1/voice/jobs/${jobId}`, { key })).json<VoiceJob>()
    return job.status === 'completed' || job.status === 'failed' ? job : undefined
  }
  return until(poll, deadlineMs, `job ${jobId} to finish`) as Promise<VoiceJob>
}
