import { createConnection } from 'node:net'
import { applyEndpoints } from '../../../src/catalog/apply-endpoints.ts'
import { startTestRuntime } from './runtime.ts'

export type Door = Awaited<ReturnType<typeof startDoor>>

/** A listening server with the endpoint `tts` and no worker: jobs stay queued. */
export async function startDoor(env: Record<string, string> = {}) {
  const { runtime, url, close, createAccount, createKey } = await startTestRuntime({
    env: { LOG_LEVEL: 'silent', ...env },
  })
  const operator = runtime.as({ kind: 'system' })
  return {
    url,
    runtime,
    close,
    /** A key of a new account. */
    createKey: async ({ credits = 1_000n, scopes }: KeyOptions = {}) =>
      (await createKey(await createAccount(credits), scopes)).apiKey,
    createAccount,
    createKeyOf: async (account: string, scopes: readonly string[]) => (await createKey(account, scopes)).apiKey,
    apply: (source: string) =>
      applyEndpoints(operator, { source, readAudio: () => Promise.reject(new Error('no audio here')) }),
    raw: (bytes: string | Buffer) => exchange(Number(new URL(url).port), bytes),
    /** One request, to submit to `tts` unless told; the body is that of a refusal or of a job. */
    send: async (init: RequestInit, path = SPEAK) => {
      const response = await fetch(url + path, init)
      const text = await response.text()
      const body = (text === '' ? null : JSON.parse(text)) as Refusal & { job_id: string }
      return { response, status: response.status, body }
    },
    firstVoice: () => runtime.catalog.current.endpoints.get('tts')?.voices[0]?.slug,
  }
}

export const SPEAK = '/api/v1/voice/tts'

interface Refusal {
  error: string
  error_code: string
  details?: { path: string; message: string }[]
}

interface KeyOptions {
  readonly credits?: bigint
  readonly scopes?: readonly string[]
}

/** Writes bytes to a fresh connection and returns everything that comes back until the server hangs up or has answered once. */
export function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = createConnection({ host: '127.0.0.1', port }, () => socket.write(bytes))
    const finish = () => {
      socket.destroy()
      resolve(answer)
    }
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      answer += chunk
      if (isWhole(answer)) finish()
    })
    socket.on('end', finish)
    socket.on('error', (error) => (answer === '' ? reject(error) : finish()))
  })
}

function isWhole(answer: string): boolean {
  const [head = '', body] = answer.split('\r\n\r\n')
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  return body !== undefined && length !== undefined && Buffer.byteLength(body) >= Number(length)
}

/** A POST of JSON with a key. */
export const post = (key: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** An endpoint file with one endpoint as it takes to be applied. */
export const endpointFile = (slug: string, fields: Record<string, unknown> = {}): string =>
  JSON.stringify({ endpoints: [{ ...ENDPOINT, slug, ...fields }] })

const ENDPOINT = {
  name: 'Another',
  description: null,
  published: true,
  required_scope: null,
  voice_input: 'voice',
  inputs: {
    type: 'object',
    additionalProperties: false,
    required: ['text', 'voice'],
    properties: { text: { type: 'string', minLength: 1, maxLength: 10_000 }, voice: { type: 'string' } },
  },
  response_fields: ['created_at', 'completed_at'],
  engine: { kind: 'espeak' },
  time_limit_seconds: 600,
  credits_per_character: 1,
  voices: [{ slug: 'aria', name: 'Aria', description: 'Clear.', kind: 'preset', engine_voice: 'en-us+f3' }],
}
