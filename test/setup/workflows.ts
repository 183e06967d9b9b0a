import { applyEndpoints } from '../../src/endpoints/apply-endpoints.ts'
import type { Runtime } from '../../src/runtime.ts'

/** Configures a workflow with one input, `prompt`, whose server is not there. */
export async function applyWorkflow(runtime: Runtime, slug: string): Promise<void> {
  const properties = { prompt: { type: 'string', minLength: 1, maxLength: 100 } }
  const inputs = { type: 'object', additionalProperties: false, required: ['prompt'], properties }
  const engine = { kind: 'cog', base_url: 'http://127.0.0.1:9' }
  const source = JSON.stringify({ workflows: [{ slug, name: slug, inputs, engine, credits_per_job: 1 }] })
  await applyEndpoints(runtime.as({ kind: 'system' }), { source, readAudio: async () => new Uint8Array() })
}
