import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { HTTP_STATUS } from '../../../src/errors/service-error.ts'
import { errorOf, REFUSED } from '../../setup/service/graphql.ts'
import { type Door, startDoor } from '../../setup/service/start-rest.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'

interface GraphqlError {
  message: string
  path?: string[]
  extensions: { code: string; requestId: string; details?: { path: string; message: string }[] }
}
interface Answer {
  data?: Record<string, unknown> | null
  errors?: GraphqlError[]
  error_code?: string
}

const SUBMIT = `mutation ($inputs: JSON!, $key: String) {
  submitVoiceJob(slug: "tts", inputs: $inputs, idempotencyKey: $key) {
    ... on VoiceJobSubmission { jobId status replayed }
    ${REFUSED}
  }
}`

let door: Door
let key: string
beforeAll(async () => {
  door = await startDoor()
  key = await door.createKey()
})
afterAll(() => door.close())

const send = async (body: string | Uint8Array<ArrayBuffer>, bearer: string | null = key) => {
  const response = await fetch(`${door.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // With it the status tells, too: 200 is for answers that have data.
      accept: 'application/graphql-response+json',
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
    },
    body,
  })
  return { status: response.status, answer: (await response.json()) as Answer }
}
const ask = (query: string, variables: object = {}, bearer: string | null = key) =>
  send(JSON.stringify({ query, variables }), bearer)
const submit = (inputs: string, extra = '') =>
  send(`{"query": ${JSON.stringify(SUBMIT)}, "variables": {"inputs": ${inputs}${extra}}}`)
const codesOf = ({ errors }: Answer) => (errors ?? []).map(({ extensions }) => extensions.code)
const countJobs = async () =>
  (await door.runtime.db.pool.query('select count(*)::int as n from job')).rows[0].n as number

describe('what is no GraphQL request', () => {
  test.for<[string, string | Uint8Array<ArrayBuffer>]>([
    ['malformed JSON', '{"query": '],
    ['an empty body', ''],
    ['a list', '[{"query": "{ __typename }"}]'],
    ['a text', '"{ __typename }"'],
    ['no query', '{"variables": {}}'],
    ['a query that is a number', '{"query": 7}'],
    ['extensions that are a list', '{"query": "{ __typename }", "extensions": []}'],
    ['a parameter that is unknown', '{"query": "{ __typename }", "id": "7"}'],
    ['variables that are a text', '{"query": "{ __typename }", "variables": "a"}'],
    ['invalid UTF-8', Uint8Array.from(Buffer.from('{"query": "{ __typename } #\xff\xfe"}', 'latin1'))],
    ['a document that does not parse', '{"query": "{"}'],
    ['a field that is not there', '{"query": "{ nothing }"}'],
    ['a field of an input that is not there', '{"query": "{ jobs(filter: {statuse: QUEUED}) { totalCount } }"}'],
    [
      'a field of an input that is not there, and whose variable is not given',
      '{"query": "query ($x: JobStatus) { jobs(filter: {statuse: $x}) { totalCount } }"}',
    ],
    ['an operation that is not there', '{"query": "query A { __typename }", "operationName": "B"}'],
  ])('%s is 400 with INVALID_REQUEST', async ([, body]) => {
    // The cached document changes no answer.
    for (const _time of [1, 2]) {
      const { status, answer } = await send(body)
      expect([status, ...codesOf(answer)]).toEqual([400, 'INVALID_REQUEST'])
      expect(answer.errors?.[0]?.extensions.requestId).toMatch(/^\S+$/)
    }
  })

  test('a path in percent-encoding, which leads here as well, is answered like the plain one', async () => {
    const url = `${door.url}/%67raphql`
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const posted = await fetch(url, { method: 'POST', headers, body: '{"query": "{ __typename }"}' })
    const got = await fetch(`${url}?query={__typename}`, { headers })
    for (const response of [posted, got]) expect(await response.json()).toEqual({ data: { __typename: 'Query' } })
  })

  test.each([
    'variables=[',
    'variables=7',
    'variables=%5B%5D',
    'variables={"a":"%5Cu0000"}',
    'variables={"a":{"__proto__":1}}',
    'extensions="a"',
  ])('an address with %s is 400 with INVALID_REQUEST', async (parameter) => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${door.url}/graphql?query={__typename}&${parameter}`, { headers })
    expect([response.status, ...codesOf((await response.json()) as Answer)]).toEqual([400, 'INVALID_REQUEST'])
    const empty = await fetch(`${door.url}/graphql?query={__typename}&variables=%7B%7D&extensions=null`, { headers })
    expect(await empty.json()).toEqual({ data: { __typename: 'Query' } })
  })

  test('a violation in a document that a socket sent first keeps its status', async () => {
    const broken = '{ jobs { seen by a socket'
    const client = openSocketClient(door.url, key)
    await client.subscribe(broken).ended()
    await client.dispose()
    const { status, answer } = await send(JSON.stringify({ query: broken }))
    expect([status, ...codesOf(answer)]).toEqual([400, 'INVALID_REQUEST'])
  })

  test('a body over its own limit is 413, which names that limit', async () => {
    const { status, answer } = await send(JSON.stringify({ query: `{ __typename } #${'a'.repeat(1_100_000)}` }))
    expect([status, ...codesOf(answer)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(answer.errors?.[0]?.message).toContain('1024 KiB')
  })
})

describe('the limits of a document', () => {
  const deep = (levels: number) => `{ ${'catalog { '.repeat(levels)}__typename${' }'.repeat(levels)} }`
  test.for<[string, string, RegExp]>([
    ['deeper than 16', deep(17), /deep/],
    [
      'more than 50 aliases',
      `{ catalog { ${Array.from({ length: 51 }, (_, n) => `a${n}: __typename`).join(' ')} } }`,
      /alias/,
    ],
    ['more than 20 root fields', `{ ${Array.from({ length: 21 }, (_, n) => `a${n}: __typename`).join(' ')} }`, /root/],
    ['more than 500 fields', `{ catalog { ${'__typename '.repeat(501)} } }`, /500 fields/],
    ['more than 1,000 tokens', `{ catalog { ${'__typename '.repeat(1_001)} } }`, /token/i],
    [
      'fields that grow by fragments',
      `{ catalog { ...a } } fragment a on Catalog { ${'...b '.repeat(30)} } fragment b on Catalog { ${'__typename '.repeat(30)} }`,
      /500 fields/,
    ],
  ])('%s is refused as INVALID_REQUEST', async ([, document, reason]) => {
    const { answer } = await ask(document)
    expect(codesOf(answer)).toEqual(['INVALID_REQUEST'])
    expect(answer.errors?.[0]?.message).toMatch(reason)
    expect(answer.data ?? null).toBeNull()
  })
})

describe('introspection', () => {
  const INTROSPECTION = '{ __schema { queryType { name } } }'

  test('is rejected for anonymous callers, once however much of it is asked for, and open to keys', async () => {
    for (const text of [INTROSPECTION, getIntrospectionQuery()]) {
      expect(codesOf((await ask(text, {}, null)).answer)).toEqual(['INVALID_REQUEST'])
    }
    expect((await ask(INTROSPECTION)).answer.data).toEqual({ __schema: { queryType: { name: 'Query' } } })
  })

  test('stays rejected for anonymous callers once a key has asked for the same', async () => {
    const document = '{ __type(name: "Job") { name } }'
    for (const _time of [1, 2]) expect((await ask(document)).answer.errors).toBeUndefined()
    for (const _time of [1, 2]) expect(codesOf((await ask(document, {}, null)).answer)).toContain('INVALID_REQUEST')
  })

  test('is not replaced by hints to anonymous callers', async () => {
    const { answer } = await ask('{ catalogs { __typename } }', {}, null)
    expect(JSON.stringify(answer)).not.toMatch(/did you mean/i)
  })
})

describe('the type of an answer', () => {
  test.for<[string | null, string]>([
    [null, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
    ['application/graphql-response+json,application/json;q=0.9', 'application/graphql-response+json'],
    ['text/html, application/json', 'application/json'],
    ['text/html;q=0.1, application/json', 'application/json'],
    ['*/*;q=0.5', 'application/json'],
    ['application/json;q=0, */*', 'application/graphql-response+json'],
    ['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json;q=0.5, application/json;q=0.6', 'application/json'],
    ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
    ['application/json, application/graphql-response+json', 'application/json'],
    ['application/*, application/json;q=0.1', 'application/graphql-response+json'],
    ['application/json, text/event-stream', 'application/json'],
    ['APPLICATION/JSON; Q=0.3, image/png', 'application/json'],
  ])('to %s is %s', async ([accept, type]) => {
    for (const _time of [1, 2]) {
      const response = await fetch(`${door.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...(accept && { accept }) },
        body: JSON.stringify({ query: '{ __typename }', operationName: null, variables: null }),
      })
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
      expect([response.status, await response.json()]).toEqual([200, { data: { __typename: 'Query' } }])
    }
  })

  test('in parts is one that HTTP can frame', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, accept: 'multipart/mixed' }
    const body = JSON.stringify({ query: '{ __typename }' })
    const response = await fetch(`${door.url}/graphql`, { method: 'POST', headers, body })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^multipart/)])
    expect(await response.text()).toContain('{"data":{"__typename":"Query"}}')
  })

  test.each([
    'image/png',
    'text/html, image/*;q=0.5',
    'application/json; charset=utf-16',
    'application/json;q=0, image/png',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0.000, application/graphql-response+json;q=0.0',
    ',,,',
  ])('that no server can give is 406, and nothing is changed for it: %s', async (accept) => {
    const before = await countJobs()
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, accept }
    const query = `mutation { submitVoiceJob(slug: "tts", inputs: {text: "Hi", voice: "aria"}) { __typename } }`
    const body = JSON.stringify({ query })
    const response = await fetch(`${door.url}/graphql`, { method: 'POST', headers, body })
    expect([response.status, response.headers.get('accept')]).toEqual([406, expect.stringContaining('json')])
    const refusal = (await response.json()) as Answer & { error: string }
    expect(refusal).toMatchObject({ error: expect.stringContaining('Accept'), error_code: 'INVALID_REQUEST' })
    expect(refusal.errors).toEqual([
      { message: refusal.error, extensions: { code: 'INVALID_REQUEST', requestId: expect.any(String) } },
    ])
    expect(await countJobs()).toBe(before)
  })

  test('to a browser is the page, and data to clients that prefer data', async () => {
    const typeFor = async (accept: string) => {
      const response = await fetch(`${door.url}/graphql?query={__typename}`, { headers: { accept } })
      await response.arrayBuffer()
      return response.headers.get('content-type')
    }
    expect(await typeFor('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')).toMatch(/^text\/html/)
    expect(await typeFor('text/html;q=0.1, application/json')).toMatch(/^application\/json/)
    expect(await typeFor('text/html;q=0, application/json')).toMatch(/^application\/json/)
    expect(await typeFor('*/*')).toMatch(/^application\/json/)
  })

  test('to a subscription is a stream of events or 406, and what is refused is not followed', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, accept: 'application/json' }
    const body = JSON.stringify({ query: 'subscription { jobsUpdated { id } }' })
    const follow = vi.spyOn(door.runtime.jobFeed, 'follow')
    expect((await fetch(`${door.url}/graphql`, { method: 'POST', headers, body })).status).toBe(406)
    expect(follow).not.toHaveBeenCalled()
  })

  test('to a subscription begins at once, and no proxy is to hold it back', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const body = JSON.stringify({ query: 'subscription { jobsUpdated { id } }' })
    const response = await fetch(`${door.url}/graphql`, { method: 'POST', headers, body })
    expect([response.status, response.headers.get('x-accel-buffering')]).toEqual([200, 'no'])
    const reader = response.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toMatch(/^:/)
    await reader.cancel()
  })

  test.each(['application/json', 'application/graphql-response+json'])(
    'to a document that is named by its hash alone says that it has to be sent: %s',
    async (accept) => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } }
      const headers = { 'content-type': 'application/json', accept }
      const parameters = new URLSearchParams({ operationName: 'A', extensions: JSON.stringify(extensions) })
      const post = (body: object) =>
        fetch(`${door.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
      for (const response of [
        await post({ operationName: 'A', variables: {}, extensions }),
        await fetch(`${door.url}/graphql?${parameters}`, { headers }),
      ]) {
        expect([response.status, response.headers.get('content-type')]).toEqual([200, `${accept}; charset=utf-8`])
        const { errors } = (await response.json()) as Answer
        expect(errors).toMatchObject([
          { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
        ])
      }
      expect(await (await post({ query: '{ __typename }', extensions })).json()).toEqual({
        data: { __typename: 'Query' },
      })
    },
  )

  test.each([{}, { id: null }, { id: [] }])('to variables that do not fit is no success: %j', async (variables) => {
    const body = JSON.stringify({ query: 'query ($id: ID!) { node(id: $id) { id } }', variables })
    const statuses = ['application/graphql-response+json', 'application/json'].map(async (accept) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, accept }
      return (await fetch(`${door.url}/graphql`, { method: 'POST', headers, body })).status
    })
    expect(await Promise.all(statuses)).toEqual([400, 200])
  })
})

describe('submitVoiceJob', () => {
  test('answers with the job as it is now, the one that a key has led to as well', async () => {
    const query = `mutation ($key: String) {
      submitVoiceJob(slug: "tts", inputs: { text: "Now.", voice: "aria" }, idempotencyKey: $key) {
        ... on VoiceJobSubmission { jobId status replayed job { id status liveUrl(format: MP3) } }
      }
    }`
    const ordered = async () =>
      (await ask(query, { key: 'as it is now' })).answer.data?.submitVoiceJob as {
        jobId: string
        job: { liveUrl: string | null }
      }
    const first = await ordered()
    expect(first).toMatchObject({ replayed: false, job: { id: first.jobId, status: 'QUEUED' } })
    expect(first.job.liveUrl).toContain(first.jobId)
    await ask('mutation ($id: ID!) { cancelJob(jobId: $id) { __typename } }', { id: first.jobId })
    expect(await ordered()).toMatchObject({ replayed: true, job: { id: first.jobId, status: 'FAILED' } })
  })

  test('answers the same idempotency key with the same job, and another text with IDEMPOTENCY_MISMATCH', async () => {
    const before = await countJobs()
    const ordered = (text: string) => submit(JSON.stringify({ text, voice: 'aria' }), ', "key": "order 7"')
    const first = (await ordered('One.')).answer.data?.submitVoiceJob as { jobId: string }
    expect(first).toMatchObject({ status: 'QUEUED', replayed: false })
    expect((await ordered('One.')).answer.data).toEqual({ submitVoiceJob: { ...first, replayed: true } })
    expect(errorOf((await ordered('Two.')).answer)).toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
      message: 'Send a new idempotencyKey: this idempotencyKey was already used with a different request.',
    })
    expect(await countJobs()).toBe(before + 1)
  })

  test.for<[string, string]>([
    ['a number out of range', '{"text": "Hi.", "voice": "aria", "speed": 1e999}'],
    ['a whole number that has lost digits', '{"text": "Hi.", "voice": "aria", "seed": 9007199254740993}'],
    ['an escaped NUL', '{"text": "a\\u0000b", "voice": "aria"}'],
    ['a lone surrogate', '{"text": "a\\ud800b", "voice": "aria"}'],
    ['a text of zero-width characters', '{"text": "\\u200b\\u2060\\ufeff\\u00ad", "voice": "aria"}'],
    ['an unknown voice', '{"text": "Hi.", "voice": "nobody"}'],
    ['inputs that are a list', '[]'],
  ])('%s is INVALID_REQUEST with the place, and stores nothing', async ([, inputs]) => {
    const before = await countJobs()
    const { answer } = await submit(inputs)
    const details = errorOf(answer)?.details ?? answer.errors?.[0]?.extensions.details
    expect([...codesOf(answer), errorOf(answer)?.code]).toContain('INVALID_REQUEST')
    expect(details?.[0]?.path).toMatch(/\/inputs/)
    expect(await countJobs()).toBe(before)
  })

  test('NUL in a literal is INVALID_REQUEST like in a variable, wherever it stands', async () => {
    for (const [text, path] of [
      [String.raw`{ node(id: "msg_\u0000") { id } }`, '/id'],
      [String.raw`{ jobs(filter: {not: {idPrefix: "\u{0}"}}) { totalCount } }`, '/filter/not/idPrefix'],
      [String.raw`{ jobs(filter: {endpointKeys: ["a", "b\u0000"]}) { totalCount } }`, '/filter/endpointKeys/1'],
      [
        String.raw`mutation { submitVoiceJob(slug: "tts", inputs: {text: "a\u0000b", voice: "aria"}) { __typename } }`,
        '/inputs/text',
      ],
    ] as const) {
      const { answer } = await ask(text)
      expect([answer.data ?? null, codesOf(answer)], text).toEqual([null, ['INVALID_REQUEST']])
      expect(answer.errors?.[0]?.extensions.details).toEqual([{ path, message: 'holds NUL' }])
    }
  })

  test.each([
    ['{text: "Hi.", voice: "aria", seed: 1e999}', '/inputs/seed', 'is a number out of range'],
    ['{text: "Hi.", voice: "aria", seed: 9007199254740993}', '/inputs/seed', 'is a number out of range'],
    ['{text: "Hi.", voice: "aria", __proto__: {a: 1}}', '/inputs/__proto__', 'is not allowed as a key'],
    ['{constructor: {prototype: {a: 1}}}', '/inputs/constructor/prototype', 'is not allowed as a key'],
    ['{list: [{a: {__proto__: 1}}]}', '/inputs/list/0/a/__proto__', 'is not allowed as a key'],
  ])('what a variable may not hold is INVALID_REQUEST in a literal, too: %s', async (inputs, path, message) => {
    const before = await countJobs()
    const literal = `mutation { submitVoiceJob(slug: "tts", inputs: ${inputs}) { ${REFUSED} } }`
    const { answer } = await ask(literal)
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path, message }] })
    expect(await countJobs()).toBe(before)
    const text = inputs.replace(/(\w+):/g, '"$1":')
    const variable = await submit(text)
    expect(codesOf(variable.answer)).toEqual(['INVALID_REQUEST'])
  })

  test('a key that reaches for a prototype is INVALID_REQUEST where the literal has its first half and a variable the other', async () => {
    const halves = `mutation ($inner: JSON!) { submitVoiceJob(slug: "tts", inputs: {constructor: $inner}) { ${REFUSED} } }`
    const { answer } = await ask(halves, { inner: { prototype: { a: 1 } } })
    const details = [{ path: '/inputs/constructor', message: 'is not allowed as the key of a variable' }]
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST', details })
  })
})

test('every code that the door gives is one of the documented ones', async () => {
  const asked = ['{ job(id: "job_nothing") { id } }', '{ voiceJob(jobId: "x") { id } }', '{ a', '{ nope }', '{ node }']
  const answers = await Promise.all(asked.flatMap((query) => [ask(query), ask(query, {}, null)]))
  const codes = new Set(answers.flatMap(({ answer }) => codesOf(answer)))
  expect(codes.size).toBeGreaterThan(1)
  expect([...codes].filter((code) => !(code in HTTP_STATUS))).toEqual([])
})
