import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REFUSED } from '../../setup/service/graphql.ts'
import { type Door, endpointFile, startDoor } from '../../setup/service/start-rest.ts'

interface Answer {
  readonly status: number
  readonly answer: {
    readonly data?: { readonly submitVoiceJob?: Record<string, unknown>; readonly __typename?: string }
    readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
  }
}

const MOST = 200_000
const SUBMIT = `mutation ($inputs: JSON!) {
  submitVoiceJob(slug: "books", inputs: $inputs) { ... on VoiceJobSubmission { status } ${REFUSED} }
}`

let door: Door
let key: string
beforeAll(async () => {
  door = await startDoor({ MAX_TEXT_CHARACTERS: String(MOST), RATE_LIMIT_PER_MINUTE: '1000' })
  key = await door.createKey({ credits: 1_000_000n })
  const properties = { text: { type: 'string', minLength: 1, maxLength: MOST }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  await door.apply(endpointFile('books', { inputs }))
})
afterAll(() => door.close())

/** A body in pieces is sent chunked. */
const send = (body: string | readonly string[], bearer: string | null = key): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }),
    }
    const sent = httpRequest(`${door.url}/graphql`, { method: 'POST', headers }, async (response) =>
      resolve({ status: response.statusCode!, answer: JSON.parse(await text(response)) }),
    )
    sent.on('error', reject)
    for (const piece of typeof body === 'string' ? [body] : body) sent.write(piece)
    sent.end()
  })
const bodyOf = (spoken: string) =>
  JSON.stringify({ query: SUBMIT, variables: { inputs: { text: spoken, voice: 'aria' } } })
const codesOf = ({ status, answer }: Answer) => [
  status,
  ...(answer.errors ?? []).map(({ extensions }) => extensions.code),
]

describe('where an endpoint takes texts of 200,000 characters, a GraphQL body', () => {
  test.for([
    ['150,000 Latin letters', bodyOf('A word. '.repeat(18_750))],
    ['35,000 Chinese characters', bodyOf('他说好。'.repeat(8_750))],
    ['190,000 Chinese characters that JSON escapes', bodyOf('他'.repeat(190_000)).replaceAll('他', '\\u4ed6')],
  ] as const)('may hold %s', async ([, body]) => {
    expect(await send(body)).toEqual({ status: 200, answer: { data: { submitVoiceJob: { status: 'QUEUED' } } } })
  })

  test('that is longer than such a text needs is 413, which names the limit', async () => {
    const refused = await send(bodyOf('a'.repeat(1_300_000)))
    expect(codesOf(refused)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(refused.answer.errors?.[0]?.message).toContain('1213 KiB')
  })

  test.for([
    ['a comment', `{ __typename } #${'a'.repeat(110_000)}`],
    ['a literal', `{ __typename @include(if: "${'a'.repeat(110_000)}") }`],
  ] as const)('may not hold a document that is long by %s', async ([, query]) => {
    const refused = await send(JSON.stringify({ query }))
    expect(codesOf(refused)).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.answer.errors?.[0]?.message).toContain('102400 characters')
  })

  test('of a caller without a key, or in chunks, ends at 100 KiB', async () => {
    const long = bodyOf('A word. '.repeat(18_750))
    for (const refused of [await send(long, null), await send([long.slice(0, 90_000), long.slice(90_000)])]) {
      expect(codesOf(refused)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
      expect(refused.answer.errors?.[0]?.message).toContain('100 KiB')
    }
    expect(codesOf(await send(long, 'sk_nobody'))).toEqual([401, 'UNAUTHORIZED'])
    expect((await send(['{"query": ', '"{ __typename }"}'])).answer).toEqual({ data: { __typename: 'Query' } })
  })

  test('is one request of its key', async () => {
    const remaining = async (spoken: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const { headers: answered } = await fetch(`${door.url}/graphql`, {
        method: 'POST',
        headers,
        body: bodyOf(spoken),
      })
      return Number(/r=(\d+)/.exec(answered.get('ratelimit')!)![1])
    }
    const before = await remaining('Short.')
    expect(await remaining('A word. '.repeat(18_750))).toBe(before - 1)
  })
})
