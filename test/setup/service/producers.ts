import { type ProviderServer, startProviderServer } from '../servers/provider-server.ts'
import { startTestRuntime, type TestRuntime, type TestRuntimeOptions } from './runtime.ts'

export const COMPANION_SCOPES = ['companion:chat', 'companion:retarget', 'companion:media_tag', 'generate:workflow']

export interface Row {
  id: string
  type: string
  endpoint_key: string
  status: string
  is_prohibited: boolean | null
  reason: string | null
  chat_id: string | null
  media_url: string | null
  media_kind: string | null
  error_code: string | null
  cause: string | null
  inputs: unknown
  attempt: number
  api_key_id: string
  provider_job_id: string | null
  gpu_execution_time_ms: number | null
  webhook_url: string | null
}

export interface Reply<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

export type Producers = Awaited<ReturnType<typeof startProducers>>

/** The service with a stand-in for its providers; `env` is made from the stand-in's address. */
export async function startProducers(
  env: (provider: ProviderServer) => Record<string, string>,
  options: Omit<TestRuntimeOptions, 'env'> = {},
) {
  const provider = await startProviderServer()
  const service: TestRuntime = await startTestRuntime({ ...options, env: { LOG_LEVEL: 'silent', ...env(provider) } })
  const query = async <T extends object>(text: string, values: unknown[]) =>
    (await service.runtime.db.pool.query<T>(text, values)).rows
  return {
    ...service,
    provider,
    query,
    /** A key of a new account. */
    newKey: async (scopes: readonly string[] = COMPANION_SCOPES, credits = 1_000n) =>
      (await service.createKey(await service.createAccount(credits), scopes)).apiKey,
    send: async <T = Record<string, unknown>>(
      path: string,
      key: string | null,
      body: unknown,
      headers: Record<string, string> = {},
    ): Promise<Reply<T>> => {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: response.status, headers: response.headers, body: (await response.json()) as T }
    },
    graphql: async <T>(key: string, text: string, variables: object = {}) => {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query: text, variables }),
      })
      return (await response.json()) as { data: T; errors?: { message: string; extensions: { code: string } }[] }
    },
    job: async (id: string): Promise<Row> => {
      const [row] = await query<Row>('select * from job where id = $1', [id])
      if (row === undefined) throw new Error(`there is no job ${id}`)
      return row
    },
    countJobs: async () => Number((await query<{ n: string }>('select count(*) as n from job', []))[0]?.n),
    close: async () => {
      await provider.close()
      await service.close()
    },
  }
}
