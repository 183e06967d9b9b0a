import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../../setup/http.ts'
import { endpoint } from '../../setup/jobs/fixtures.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir, type Service, startService } from '../../setup/processes/process.ts'
import { until } from '../../setup/wait.ts'

type ArgumentType = { kind: string; name: string | null; ofType?: ArgumentType | null }
type Argument = { name: string; type: ArgumentType }
type GraphqlReply = {
  data?: unknown
  errors?: { message: string; extensions?: { code?: string; requestId?: string } }[]
}

// The slugs have different lengths, so that an echoed slug shows.
const SLUGS = { missing: 'no-such-endpoint', restricted: 'vip', unpublished: 'half-finished-draft' }
const HIDDEN = [SLUGS.restricted, SLUGS.unpublished]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const SUB_PATHS = ['', '/', '/voices', '/schema', '/jobs', '/voices/calm', '?limit=1']
const KEY_KINDS = [
  'none',
  'wrong',
  'ordinary',
  'without generate:voice',
  'without credits',
  'extra scope only',
] as const
const VOLATILE = ['date', 'x-request-id', 'ratelimit', 'retry-after']
const VALID = { inputs: { text: 'Hello.', voice: 'calm' } }
const BODIES: [string, Pick<Call, 'body' | 'type' | 'headers'>][] = [
  ['no body', {}],
  ['a valid body', { body: VALID }],
  ['bad JSON', { body: '{"inputs":' }],
  ['a wrong content type', { body: 'hello', type: 'text/plain' }],
  ['an unknown voice', { body: { inputs: { text: 'Hello.', voice: 'nobody' } } }],
  ['an idempotency key', { body: VALID, headers: { 'idempotency-key': 'once' } }],
  ['a bad idempotency key', { body: VALID, headers: { 'idempotency-key': 'k'.repeat(300) } }],
]

/** All that a caller can tell apart: status, headers in their order, bytes. */
const seen = (reply: Reply): string => {
  const headers = Object.entries(reply.headers).filter(([name]) => !VOLATILE.includes(name))
  return JSON.stringify([reply.status, headers, reply.bytes.toString('base64')])
}

describe('a restricted endpoint', () => {
  let service: Service
  const keys: Record<string, string | undefined> = { wrong: `snt_${'a'.repeat(42)}` }

  const createKey = async (account: string, scopes: string) =>
    (await makeKey(service.env, account, scopes.split(','))).apiKey
  const reach = (slug: string, options: Call = {}, rest = '') =>
    call(`${service.url}/api/v1/voice/${slug}${rest}`, options)

  beforeAll(async () => {
    service = await startService({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    await makeAccount(service.env, 'poor', 0)
    keys.ordinary = service.key
    keys['without generate:voice'] = await createKey('demo', 'job:read')
    keys['without credits'] = await createKey('poor', 'generate:voice,job:read')
    keys['extra scope only'] = await createKey('demo', 'voice:vip')
    keys.insider = await createKey('demo', 'generate:voice,voice:vip')
    const file = join(await makeTempDir(), 'endpoints.json')
    const restricted = endpoint(SLUGS.restricted, { required_scope: 'voice:vip' })
    await writeFile(
      file,
      JSON.stringify({ endpoints: [restricted, endpoint(SLUGS.unpublished, { published: false })] }),
    )
    await sonantHere(service.env, 'endpoints', 'apply', file)
    const live = async () => (await reach(SLUGS.restricted, { key: keys.insider }, '/voices')).status === 200
    await until(live, 30_000, 'the endpoints to be live')
  })
  afterAll(cleanUp)

  /** The same request to the missing endpoint and to each hidden one must answer alike; gives the missing one's answer. */
  const expectAlike = async (send: (slug: string) => Promise<Reply>, what: string): Promise<Reply> => {
    const missing = await send(SLUGS.missing)
    for (const slug of HIDDEN) expect(seen(await send(slug)), `${slug}: ${what}`).toBe(seen(missing))
    return missing
  }

  test.for(KEY_KINDS)('looks missing on every method, path and body to a key of kind: %s', async (kind) => {
    for (const method of METHODS)
      for (const rest of SUB_PATHS)
        for (const [name, sent] of BODIES) {
          const options: Call = { method, key: keys[kind], ...sent }
          await expectAlike((slug) => reach(slug, options, rest), `${method} ${rest} with ${name}`)
        }
  })

  test.for(KEY_KINDS)('looks missing under a huge body to a key of kind: %s', async (kind) => {
    const body = JSON.stringify({ inputs: { text: 'x'.repeat(2_000_000), voice: 'calm' } })
    for (const method of ['POST', 'PUT']) {
      // A server may close before it has read the body, and the client then sees the reset instead of the answer.
      const send = (slug: string) => reach(slug, { method, key: keys[kind], body }).catch(() => undefined)
      await expectAlike((slug) => until(() => send(slug), 30_000, 'an answer'), `${method} with a huge body`)
    }
  })

  test('is 401, 403 and 404 in that order, and never gets as far as 400 or 402', async () => {
    const statuses = KEY_KINDS.map(async (kind) => {
      const replies = BODIES.map(([, sent]) => reach(SLUGS.restricted, { method: 'POST', key: keys[kind], ...sent }))
      return [...new Set((await Promise.all(replies)).map((reply) => reply.status))]
    })
    expect(await Promise.all(statuses)).toEqual([[401], [401], [404], [403], [404], [403]])
  })

  test('looks missing in the public catalog, on every method', async () => {
    for (const method of METHODS)
      for (const [name, value] of [
        ['accept', '*/*'],
        ['if-none-match', '*'],
        ['origin', 'https://example.com'],
      ] as const) {
        const headers = { [name]: value }
        const send = (slug: string) => call(`${service.url}/api/v1/public/voice/${slug}`, { method, headers })
        const missing = await expectAlike(send, `${method} with ${name}`)
        if (method === 'GET') expect(missing.status).toBe(404)
      }
    const catalog = await call(`${service.url}/api/v1/public/voice`)
    for (const slug of HIDDEN) expect(catalog.text).not.toContain(slug)
  })

  test('looks missing in the public catalog to a key that may reach it, too', async () => {
    const send = (slug: string) => call(`${service.url}/api/v1/public/voice/${slug}`, { key: keys.insider })
    expect((await expectAlike(send, 'with the insider key')).status).toBe(404)
  })

  const graphql = async (query: string, variables: object, key?: string) => {
    const reply = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query, variables } })
    for (const error of reply.json<GraphqlReply>().errors ?? [])
      expect(error.extensions?.requestId).toEqual(expect.any(String))
    const bytes = Buffer.from(reply.text.replace(/"requestId":"[^"]*"/g, ''))
    const { 'content-length': _, ...headers } = reply.headers
    return { ...reply, headers, bytes }
  }

  const ask = async (typeName: string, fields: string) =>
    (await graphql(`{ __type(name: "${typeName}") { ${fields} } }`, {}, service.key)).json<{
      data: { __type: Record<string, unknown> }
    }>().data.__type
  const named = (type: ArgumentType): ArgumentType => (type.ofType ? named(type.ofType) : type)
  const written = (type: ArgumentType): string =>
    type.kind === 'NON_NULL'
      ? `${written(type.ofType!)}!`
      : type.kind === 'LIST'
        ? `[${written(type.ofType!)}]`
        : type.name!

  /** The arguments' names are read from the schema: the contract names only the fields. */
  const argumentsOf = async (root: 'Query' | 'Mutation', field: string) => {
    const shape = 'name type { kind name ofType { kind name ofType { kind name } } }'
    const fields = (await ask(root, `fields { name args { ${shape} } }`)).fields as { name: string; args: Argument[] }[]
    const found = fields.find((one) => one.name === field)!.args
    const value = async ({ name, type }: Argument, slug: string): Promise<unknown> => {
      if (/slug|endpoint/i.test(name)) return slug
      if (name === 'inputs') return VALID.inputs
      if (named(type).kind !== 'INPUT_OBJECT') return undefined
      const parts = (await ask(named(type).name!, `inputFields { ${shape} }`)).inputFields as Argument[]
      return Object.fromEntries(await Promise.all(parts.map(async (part) => [part.name, await value(part, slug)])))
    }
    const variables = async (slug: string) =>
      Object.fromEntries(await Promise.all(found.map(async (one) => [one.name, await value(one, slug)])))
    const declared = found.map(({ name, type }) => `$${name}: ${written(type)}`).join(', ')
    const passed = found.map(({ name }) => `${name}: $${name}`).join(', ')
    return { query: `${root.toLowerCase()}(${declared}) { ${field}(${passed}) { __typename } }`, variables }
  }

  test.for([
    ['Query', 'catalogEndpoint'],
    ['Mutation', 'submitVoiceJob'],
  ] as const)('looks missing to the GraphQL %s %s, with any key', async ([root, field]) => {
    const { query, variables } = await argumentsOf(root, field)
    for (const kind of KEY_KINDS) {
      const send = async (slug: string) => graphql(query, await variables(slug), keys[kind])
      const missing = (await expectAlike(send, `${field} by ${kind}`)).json<GraphqlReply>()
      if (kind === 'ordinary' && missing.errors) expect(missing.errors[0]!.extensions?.code).toBe('NOT_FOUND')
    }
    const known = (await graphql(query, await variables('tts'), service.key)).json<GraphqlReply>()
    expect([undefined, 'INVALID_REQUEST']).toContain(known.errors?.[0]?.extensions?.code)
  })

  test('is there for a key that holds the extra scope and generate:voice; the unpublished one is there for no key', async () => {
    const key = keys.insider
    expect((await reach(SLUGS.restricted, { key }, '/voices')).json()).toMatchObject({ slug: SLUGS.restricted })
    expect((await reach(SLUGS.restricted, { key }, '/schema')).status).toBe(200)
    expect((await reach(SLUGS.restricted, { method: 'POST', key, body: VALID })).status).toBe(202)
    expect((await reach(SLUGS.unpublished, { method: 'POST', key, body: VALID })).status).toBe(404)
  })
})
