import { isDeepStrictEqual } from 'node:util'
import type { GraphQLField } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { graphqlSchema } from '../../src/graphql/schema.ts'
import { call, type Reply } from '../setup/http.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { operationOf } from '../setup/service/any-operation.ts'
import { mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

/** The slugs have one length: `nix` is the missing one. */
const [MISSING, RESTRICTED, UNPUBLISHED] = ['nix', 'vip', 'raw'] as const
const HIDDEN = [RESTRICTED, UNPUBLISHED]
const SCOPES: Readonly<Record<string, readonly string[] | null>> = {
  'no key': null,
  'a key': ['generate:voice', 'job:read'],
  'a key without generate:voice': ['job:read', 'voice:few'],
  'a key that may do all else': [
    ...['generate:voice', 'job:read', 'account:admin', 'generate:workflow'],
    ...['companion:chat', 'companion:retarget', 'companion:media_tag'],
  ],
}
/** Any two answers differ in these: ids, timestamps and durations. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/(?<![0-9a-z])(job|msg|key|acct|user|art|chat|wrk|ses|entry|audit|secret)_[0-9a-z]{26}\b/g, '$1_ID'],
  [/\bsnt_\w{42}/g, 'snt_KEY'],
  [/whsec_[\w+/]+=*/g, 'whsec_SECRET'],
  [/requestId":"[^"]*"/g, 'requestId":"R"'],
  // The slug as a text, which leads to no endpoint.
  [/(textLanguage":)(null|"\w+")/g, '$1"LANGUAGE"'],
  // Noted after the request.
  [/(lastUsedAt":)(null|"[^"]*")/g, '$1"MOMENT"'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT'],
  [/(Ms":)\d+/g, '$1N'],
  [/(hint":")\w{4}"/g, '$1LAST"'],
  [/account \d+ \d+/g, 'ACCOUNT'],
  // A URL that was signed a second later.
  [/expires=\d+&signature=[\w-]{43}/g, 'expires=T&signature=S'],
]
const VOLATILE_HEADERS = ['date', 'x-request-id', 'content-length', 'ratelimit', 'retry-after', 'set-cookie']

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  await applyEndpoint(service.runtime, RESTRICTED, {}, { required_scope: 'voice:few' })
  await applyEndpoint(service.runtime, UNPUBLISHED, {}, { published: false })
  // Nothing may show the work of others there.
  const insider = await service.createAccount()
  for (const slug of HIDDEN)
    await insertJob(service.runtime.db, insider, { endpointKey: `voice.${slug}`, status: 'failed' })
})
afterAll(() => service?.close())

/** An address of its own keeps the wrong passwords of one walk from slowing down another. */
const post = (key: string | null, body: object, accept = 'application/json', from = '203.0.113.1') => {
  const headers = { accept, 'x-forwarded-for': from }
  return call(`${service.url}/graphql`, { method: 'POST', ...(key !== null && { key }), headers, body })
}

let walks = 0

/** All that a caller can tell apart, the slug's own spelling aside. */
function seen({ status, headers, text }: Reply, slug: string): string {
  const kept = Object.entries(headers).filter(([name]) => !VOLATILE_HEADERS.includes(name))
  const plain = VOLATILE.reduce((rest, [what, by]) => rest.replace(what, by), text)
  return JSON.stringify([status, kept, plain.replaceAll(slug, 'SLUG')])
}

const schema = graphqlSchema
const FORMS = [(slug: string) => slug, (slug: string) => `voice.${slug}`, (slug: string) => `voice.${slug}.calm`]
const ROOTS = [
  ['query', Object.values(schema.getQueryType()!.getFields())],
  ['mutation', Object.values(schema.getMutationType()!.getFields())],
] as const

/** The operations that name the slug in each form; a single one where no argument is a text. */
function operationsOf(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>, slug: string) {
  const [first, ...others] = FORMS.map((form) => operationOf(kind, field, form(slug)))
  return others.every((one) => isDeepStrictEqual(one, first)) ? [first!] : [first!, ...others]
}

describe('a hidden endpoint answers as a missing one', () => {
  /** In an account of its own, so that what one walk leaves behind is not what the next one finds. */
  async function walk(scopes: readonly string[] | null, slug: string): Promise<Map<string, string>> {
    const account = await service.createAccount()
    const key = scopes === null ? null : (await service.createKey(account, scopes)).apiKey
    const answers = new Map<string, string>()
    const from = `198.51.100.${++walks}`
    for (const [kind, fields] of ROOTS)
      for (const field of fields)
        for (const [index, operation] of operationsOf(kind, field, slug).entries())
          answers.set(`${kind} ${field.name} ${index}`, seen(await post(key, operation, undefined, from), slug))
    const { jobUpdated } = schema.getSubscriptionType()!.getFields()
    for (const form of FORMS) {
      const reply = await post(key, operationOf('subscription', jobUpdated!, form(slug)), 'text/event-stream', from)
      answers.set(`subscription ${form(MISSING)}`, seen(reply, slug))
    }
    return answers
  }

  test.each(Object.entries(SCOPES))('on every root field, to %s', async (_title, scopes) => {
    const [missing, ...hidden] = await Promise.all([MISSING, ...HIDDEN].map((slug) => walk(scopes, slug)))
    expect(missing!.size).toBeGreaterThan(100)
    for (const [index, answers] of hidden.entries()) {
      for (const [what, answer] of answers) expect(answer, `${HIDDEN[index]}: ${what}`).toBe(missing!.get(what))
    }
  })

  test('to a list, a statistic and a count of jobs that ask for its jobs', async () => {
    const { key } = await service.createCaller()
    const query = `query ($keys: [String!]) {
      jobs(filter: {endpointKeys: $keys}) { totalCount edges { node { id } } }
      others: jobs(filter: {not: {endpointKeys: $keys}}) { totalCount }
      jobStats(filter: {endpointKeys: $keys}, groupBy: [ENDPOINT, STATUS, ERROR_CODE]) { endpointKey jobs }
    }`
    const [missing, ...hidden] = await Promise.all(
      [MISSING, ...HIDDEN].map(async (slug) =>
        seen(await post(key, { query, variables: { keys: [`voice.${slug}`] } }), slug),
      ),
    )
    expect(new Set([missing, ...hidden]).size).toBe(1)
    expect(missing).toContain('jobStats\\":[]')
    const groups = await post(key, { query: '{ jobStats(groupBy: [ENDPOINT]) { endpointKey } }' })
    expect(groups.json()).toEqual({ data: { jobStats: [] } })
  })
})

describe('a restricted endpoint', () => {
  test('is in no introspected type, and no suggestion leads to it', async () => {
    const { key } = await service.createCaller()
    const query = `{ __schema { types { name description enumValues { name description } inputFields { name defaultValue }
      fields { name description args { name description defaultValue } } } } }`
    const whole = await post(key, { query })
    expect(whole.text).toContain('VoiceEndpoint')
    expect(whole.text).not.toMatch(/\bvip\b|voice:few/)
    for (const text of [
      '{ vi }',
      '{ vips }',
      '{ catalogEndpoint(slug: vi) { slug } }',
      '{ jobStats(groupBy: [vi]) { jobs } }',
    ]) {
      expect((await post(key, { query: text })).text).not.toMatch(/\bvip\b/)
    }
  })

  test("is missing to another key of the account that repeats an insider's request", async () => {
    const account = await service.createAccount()
    const keyWith = async (...scopes: string[]) =>
      (await service.createKey(account, ['generate:voice', ...scopes])).apiKey
    const [insider, outsider] = [await keyWith('voice:few'), await keyWith()]
    const submit = (slug: string) => ({
      query: mutation(
        `submitVoiceJob(slug: "${slug}", inputs: {text: "Hi.", voice: "calm"}, idempotencyKey: "a")`,
        '... on VoiceJobSubmission { jobId replayed }',
      ),
    })
    expect((await post(insider, submit(RESTRICTED))).text).toContain('"replayed":false')
    expect((await post(insider, submit(RESTRICTED))).text).toContain('"replayed":true')
    const answers = await Promise.all(
      [RESTRICTED, MISSING].map(async (slug) => seen(await post(outsider, submit(slug)), slug)),
    )
    expect(answers[0]).toBe(answers[1])
    expect(answers[0]).toContain('NOT_FOUND')
  })

  test('is missing to a key that retries a job of it, as a deleted one is', async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account)
    const retry = async (slug: string) => {
      const jobId = await insertJob(service.runtime.db, account, { endpointKey: `voice.${slug}`, status: 'failed' })
      return seen(
        await post(apiKey, { query: mutation(`retryJob(jobId: "${jobId}")`, '... on RetryJobSuccess { jobId }') }),
        slug,
      )
    }
    const missing = await retry(MISSING)
    expect(missing).toContain('NOT_FOUND')
    for (const slug of HIDDEN) expect(await retry(slug)).toBe(missing)
  })
})

describe('myEndpoints', () => {
  const QUERY = '{ myEndpoints { slug creditsPerCharacter } }'
  type Mine = { data: { myEndpoints: { slug: string; creditsPerCharacter: number }[] } | null }

  test('are those that the caller can submit to, with their price', async () => {
    const account = await service.createAccount()
    const [plain, vip] = [
      await service.createKey(account),
      await service.createKey(account, ['generate:voice', 'voice:few']),
    ]
    const mine = async (key: string | null) => (await post(key, { query: QUERY })).json<Mine>().data?.myEndpoints
    const open = await mine(plain.apiKey)
    expect(open).toContainEqual({ slug: 'tts', creditsPerCharacter: 1 })
    expect((await mine(vip.apiKey))?.map(({ slug }) => slug)).toEqual(
      [...open!.map(({ slug }) => slug), RESTRICTED].toSorted(),
    )
    expect(await mine(null)).toBeUndefined()
  })
})
