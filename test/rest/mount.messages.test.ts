import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, post, SPEAK, startDoor } from '../setup/service/start-rest.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Wordings that callers did not understand. */
const OBSCURE = [
  'there is nothing here',
  'check the slug:',
  'check the key id:',
  'check the account:',
  'check the user:',
  'you have no such',
  'strangers',
  'very next request',
  'private or special',
  'fits the contract',
  'can be kept as they are',
  'came with another request',
  'does not go with others',
  'became of callbacks',
  'of every producer',
  'from every producer',
  'true cause of its failure',
  'who pays',
  'who is signed in',
  'anybody sees it',
  'what really went wrong',
]

let door: Door
let key: string
beforeAll(async () => {
  door = await startDoor({ RATE_LIMIT_PER_MINUTE: '1000' })
  key = await door.createKey({ scopes: ['generate:voice', 'job:read', 'account:admin'] })
})
afterAll(() => door.close())

const speech = (more: object = {}) => ({ inputs: { text: 'Hello.', voice: door.firstVoice() }, ...more })
const get = () => ({ headers: { authorization: `Bearer ${key}` } })
const refusal = async (init: RequestInit, path?: string) => (await door.send(init, path)).body
const graphql = async (query: string, headers: Record<string, string> = {}) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
  const response = await fetch(`${door.url}/graphql`, { ...init, body: JSON.stringify({ query }) })
  return JSON.stringify(await response.json())
}

describe('the sentence of an error', () => {
  it('says of an unknown path or endpoint: no such endpoint or resource', async () => {
    for (const path of [
      '/api/v1/nothing',
      '/api/v1/voice/nothing/voices',
      '/api/v1/public/voice/nothing',
      '/nothing',
    ]) {
      expect((await refusal(get(), path)).error).toBe('Not found: no such endpoint or resource.')
    }
  })

  it('says of an unknown job: no job with this id', async () => {
    for (const path of ['/api/v1/jobs/job_x', '/api/v1/voice/jobs/job_x']) {
      expect(await refusal(get(), path)).toEqual({ error: 'No job with this id.', error_code: 'NOT_FOUND' })
    }
    expect(await graphql('{ job(jobId: "job_x") { id } }', get().headers)).toContain('No job with this id.')
  })

  it.each([
    ['redeliverWebhook(id: "msg_x")', 'No delivery with this id.'],
    ['expireWebhookSecret(id: "secret_x")', 'No signing secret with this id.'],
    ['deleteApiKey(id: "key_x")', String.raw`No API key with the id \"key_x\".`],
    ['disableUser(user: "user_x")', String.raw`No user with the id or e-mail address \"user_x\".`],
  ])('says of an unknown id what it would name: %s', async (field, message) => {
    expect(await graphql(`mutation { ${field} { ... on RequestError { message } } }`, get().headers)).toContain(message)
  })

  it('says of a private webhook URL: must not point to a private or reserved address', async () => {
    const message = 'must not point to a private or reserved address'
    const url = 'https://10.0.0.1/hook'
    const { details } = await refusal(post(key, speech({ webhook_url: url })))
    expect(details).toEqual([{ path: '/webhook_url', message }])
    const set = `mutation { setWebhookUrl(url: "${url}") { ... on RequestError { message } } }`
    expect(await graphql(set, get().headers)).toContain(`The URL ${message}.`)
  })

  it('says of a request that does not fit: see `details`', async () => {
    for (const query of ['limit=0', 'decision=foo', 'type=foo', 'status=foo', 'status=queued,foo', 'from=foo']) {
      const { error, error_code, details } = await refusal(get(), `/api/v1/jobs?${query}`)
      expect([query, error, error_code]).toEqual([query, 'Invalid request: see `details`.', 'INVALID_REQUEST'])
      expect(details?.[0]?.path).toMatch(new RegExp(`^${query.split('=')[0]}`))
    }
  })

  it('says of NUL and unpaired surrogates that strings must not contain them', async () => {
    for (const text of ['a\\u0000', '\\ud800']) {
      const { error } = await refusal(post(key, `{"inputs":{"text":"${text}","voice":"aria"}}`))
      expect(error).toBe('Strings must not contain NUL or unpaired surrogates.')
    }
    expect(await graphql('{ job(jobId: "a\\u0000") { id } }', get().headers)).toContain('Strings must not contain NUL')
  })

  it('says of a reused Idempotency-Key: already used with a different request', async () => {
    await door.send(post(key, speech(), { 'idempotency-key': 'a' }))
    const other = await refusal(
      post(key, { inputs: { ...speech().inputs, text: 'x' } }, { 'idempotency-key': 'a' }),
      SPEAK,
    )
    expect(other.error).toContain('this Idempotency-Key was already used with a different request')
  })

  it('says of introspection without a key: unauthenticated requests can only query the catalog', async () => {
    expect(await graphql('{ __schema { types { name } } }')).toContain(
      'unauthenticated requests can only query the catalog',
    )
  })

  it('is in technical words, in answers and in what describes them', async () => {
    const files = globSync(
      ['{src,rest}/**/*.{ts,tsx,yaml}', '{README,docs/*}.md', 'schema.graphql', 'examples/graphql/*.graphql'],
      {
        cwd: ROOT,
      },
    )
    const texts = await Promise.all(
      files.map(async (file) => ({ file, text: await readFile(`${ROOT}${file}`, 'utf8') })),
    )
    const found = texts.flatMap(({ file, text }) =>
      OBSCURE.filter((words) => text.toLowerCase().includes(words)).map((words) => `${file}: ${words}`),
    )
    expect(texts.length).toBeGreaterThan(300)
    expect(found).toEqual([])
  })
})
