import { applyEndpoints } from '../../../src/catalog/apply-endpoints.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { call } from '../http.ts'

/** Configures a workflow with one input, `prompt`. Unless the engine block says otherwise its server is not there. */
export async function applyWorkflow(
  runtime: Runtime,
  slug: string,
  block: object = {},
  changes: object = {},
): Promise<void> {
  const properties = { prompt: { type: 'string', minLength: 1, maxLength: 100 } }
  const inputs = { type: 'object', additionalProperties: false, required: ['prompt'], properties }
  const engine = { kind: 'cog', base_url: 'http://127.0.0.1:9', ...block }
  const workflow = { slug, name: slug, inputs, engine, credits_per_job: 1, ...changes }
  const source = JSON.stringify({ workflows: [workflow] })
  await applyEndpoints(runtime.as({ kind: 'system' }), { source, readAudio: async () => new Uint8Array() })
}

/** Submits to a workflow made by `applyWorkflow`; returns the job's id. Throws unless it is accepted. */
export async function submitPrompt(url: string, key: string, slug: string, prompt: string, webhookUrl?: string) {
  const body = { inputs: { prompt }, ...(webhookUrl !== undefined && { webhook_url: webhookUrl }) }
  const reply = await call(`${url}/api/v1/generate/${slug}`, { method: 'POST', key, body })
  if (reply.status !== 202) throw new Error(`a submission was answered with ${reply.status}: ${reply.text}`)
  return reply.json<{ job_id: string }>().job_id
}
