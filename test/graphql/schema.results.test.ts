import { getNamedType, getNullableType, isListType, isNonNullType, isObjectType, isUnionType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceError } from '../../src/errors/service-error.ts'
import { ExpectedError } from '../../src/graphql/builder.ts'
import { graphqlSchema } from '../../src/graphql/schema.ts'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { codeOf, errorOf, type GraphqlAnswer, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const SUBMIT = (slug: string, voice = 'aria', extra = '') =>
  mutation(
    `submitVoiceJob(slug: "${slug}", inputs: {text: "Hi.", voice: "${voice}"} ${extra})`,
    '... on VoiceJobSubmission { jobId }',
  )

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

async function ask(key: string | null, query: string) {
  const reply = await call(`${service.url}/graphql`, {
    method: 'POST',
    ...(key !== null && { key }),
    body: { query },
  })
  return { ...reply.json<GraphqlAnswer<Record<string, unknown>>>(), requestId: reply.headers['x-request-id'], reply }
}

describe('every mutation', () => {
  const fields = Object.values(graphqlSchema.getMutationType()!.getFields())

  test.each(fields.map((field) => [field.name, field] as const))(
    '%s answers with its result or a RequestError',
    (_name, { name, type }) => {
      expect(isNonNullType(type)).toBe(true)
      const union = getNamedType(type)
      // A list has the results of the mutation of a single one.
      const one = isListType(getNullableType(type)) ? name.replace(/s$/, '') : name
      expect(union.name).toBe(`${one.charAt(0).toUpperCase()}${one.slice(1)}Result`)
      const members = isUnionType(union) ? union.getTypes() : []
      expect(members.map((member) => member.name)).toContain('RequestError')
      expect(members.length).toBeGreaterThan(1)
      expect(members.every(isObjectType)).toBe(true)
    },
  )
})

describe('what a caller can plan for', () => {
  test('is data of the mutation, with the words, the code, the places and the id of the request', async () => {
    const { key } = await service.createCaller()
    const { data, errors, requestId } = await ask(key, SUBMIT('tts', 'nobody'))
    expect(errors).toBeUndefined()
    const rest = await call(`${service.url}/api/v1/voice/tts`, {
      method: 'POST',
      key,
      body: { inputs: { text: 'Hi.', voice: 'nobody' } },
    })
    const { error, error_code: code, details } = rest.json<{ error: string; error_code: string; details: object[] }>()
    expect(data).toEqual({ submitVoiceJob: { code, message: error, details, requestId } })
  })

  const CASES: readonly (readonly [string, string, bigint])[] = [
    ['NOT_FOUND', SUBMIT('nowhere'), 1000n],
    ['PAYMENT_REQUIRED', SUBMIT('tts'), 0n],
    ['INVALID_REQUEST', SUBMIT('tts', 'aria', 'webhookUrl: "https://127.0.0.1/"'), 1000n],
  ]
  test.each(CASES)('%s is data: %s', async (code, query, credits) => {
    const { key } = await service.createCaller(credits)
    const answer = await ask(key, query)
    expect([errorOf(answer)?.code, answer.errors]).toEqual([code, undefined])
  })

  test('has the codes of the tests around, and IDEMPOTENCY_IN_PROGRESS, which the companion answers', () => {
    const refusal = graphqlSchema.getType('RequestError')
    const named = isObjectType(refusal) ? refusal.getFields().code?.description?.match(/[A-Z]+_[A-Z_]+/g) : []
    const codes = [...CASES.map(([code]) => code), 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH']
    expect(named?.toSorted()).toEqual(codes.toSorted())
  })

  test('IDEMPOTENCY_MISMATCH is data, and the other mutations are answered', async () => {
    const { key } = await service.createCaller()
    const submit = (name: string, text: string) =>
      `${name}: submitVoiceJob(slug: "tts", inputs: {text: "${text}", voice: "aria"}, idempotencyKey: "a") { __typename ... on RequestError { code } }`
    const { data, errors } = await ask(
      key,
      `mutation { ${submit('one', 'Hi.')} ${submit('two', 'Ho.')} ${submit('three', 'Hi.')} }`,
    )
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      one: { __typename: 'VoiceJobSubmission' },
      two: { __typename: 'RequestError', code: 'IDEMPOTENCY_MISMATCH' },
      three: { __typename: 'VoiceJobSubmission' },
    })
  })
})

describe('what no caller can plan for', () => {
  test('a failed authorisation is an error of the whole answer: no data comes with it', async () => {
    const reader = await service.createKey(await service.createAccount(), ['job:read'])
    for (const [key, code] of [
      [null, 'UNAUTHORIZED'],
      [reader.apiKey, 'FORBIDDEN'],
    ] as const) {
      const answer = await ask(key, SUBMIT('tts'))
      expect([answer.data, errorOf(answer), answer.errors?.length]).toEqual([null, undefined, 1])
      expect(answer.errors![0]!.extensions).toEqual({ code, requestId: answer.requestId })
    }
  })

  test('too many wrong passwords are RATE_LIMITED, with the seconds to wait', async () => {
    const signIn = mutation(
      'signIn(email: "mallory@example.org", password: "wrong horse battery")',
      '... on User { id }',
    )
    const codes: (string | undefined)[] = []
    let answer = await ask(null, signIn)
    for (let tries = 0; tries < 10 && codeOf(answer) !== 'RATE_LIMITED'; tries++) {
      codes.push(codeOf(answer))
      answer = await ask(null, signIn)
    }
    expect(new Set(codes)).toEqual(new Set(['UNAUTHORIZED']))
    expect(answer.errors![0]!.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
    expect(errorOf(answer)).toBeUndefined()
  })

  test('an answer to a key over its rate limit names the seconds to wait, in the body as in the header', async () => {
    const slow = await startTestRuntime({ env: { RATE_LIMIT_PER_MINUTE: '1' } })
    try {
      const { key } = await slow.createCaller()
      const ask = () => call(`${slow.url}/graphql`, { method: 'POST', key, body: { query: '{ me { accountId } }' } })
      await ask()
      const { headers, json } = await ask()
      const { extensions } = json<GraphqlAnswer<unknown>>().errors![0]!
      expect(extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: Number(headers['retry-after']) })
    } finally {
      await slow.close()
    }
  })

  test.each(['INTERNAL_ERROR', 'UNAVAILABLE', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN'] as const)(
    '%s never becomes data',
    (code) => {
      expect(new ServiceError(code, 'x') instanceof ExpectedError).toBe(false)
    },
  )

  test('a variable of the wrong type is an error of the whole answer', async () => {
    const { key } = await service.createCaller()
    const answer = await ask(key, SUBMIT('tts', 'aria', 'webhookUrl: "no url"'))
    expect([answer.data ?? null, codeOf(answer), errorOf(answer)]).toEqual([null, 'INVALID_REQUEST', undefined])
  })
})

describe('a restricted endpoint', () => {
  test('is refused with the data of a missing one', async () => {
    await applyEndpoint(service.runtime, 'vip', {}, { required_scope: 'voice:vip' })
    const { key } = await service.createCaller()
    const [vip, none] = await Promise.all(
      ['vip', 'none'].map(async (slug) => (await ask(key, SUBMIT(slug))).reply.text),
    )
    const plain = (text: string | undefined) => text?.replace(/"requestId":"[^"]*"/, '')
    expect(plain(vip)).toBe(plain(none))
    expect(plain(vip)).toContain('"code":"NOT_FOUND"')
  })
})
