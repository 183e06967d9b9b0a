import { applyEndpoints } from '../../../src/catalog/apply-endpoints.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { call } from '../http.ts'
import { until } from '../wait.ts'
import { endpoint, type VoiceJob } from './fixtures.ts'

const TIMEOUT_MS = 60_000

/** Configures an endpoint whose engine block has these fields: of the embedded kind, or of a server's where they are a server's. */
export async function applyEndpoint(
  runtime: Runtime,
  slug: string,
  engine: object = {},
  changes: object = {},
  recording = new Uint8Array(),
) {
  const source = JSON.stringify({
    endpoints: [endpoint(slug, { ...changes, engine: { ...kindFor(engine), ...engine } })],
  })
  await applyEndpoints(runtime.as({ kind: 'system' }), { source, readAudio: async () => recording })
}

/** Submits a text to an endpoint made by `applyEndpoint`; returns the job's id. Throws unless it is accepted. */
export async function submitText(
  url: string,
  key: string,
  slug: string,
  text: string,
  voice = 'calm',
): Promise<string> {
  const body = { inputs: { text, voice } }
  const reply = await call(`${url}/api/v1/voice/${slug}`, { method: 'POST', key, body })
  if (reply.status !== 202) throw new Error(`a submission was answered with ${reply.status}: ${reply.text}`)
  return reply.json<{ job_id: string }>().job_id
}

export const readJob = async (url: string, key: string, jobId: string): Promise<VoiceJob> =>
  (await call(`${url}/api/v1/voice/jobs/${jobId}`, { key })).json<VoiceJob>()

/** Waits until none of the jobs is unfinished any more, by the database. */
export async function allFinished(runtime: Runtime, ids: readonly string[], retryBudgetMs = TIMEOUT_MS): Promise<void> {
  const unfinished = async () => {
    const { rows } = await runtime.db.pool.query<{ count: string }>(
      `select count(*) from job where id = any($1) and status in ('queued', 'processing')`,
      [ids],
    )
    return Number(rows[0]!.count)
  }
  await until(async () => (await unfinished().catch(() => 1)) === 0, retryBudgetMs, 'all jobs to end')
}

const kindFor = (engine: object): object =>
  'max_in_flight' in engine || 'base_url' in engine
    ? { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'stand-in' }
    : { kind: 'espeak' }
