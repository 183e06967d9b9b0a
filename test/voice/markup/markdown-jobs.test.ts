import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SpeechTimes } from '../../../src/voice/captions/voice-job-captions.ts'
import { call } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const TEXT = `---
title: none of this
---

# A **big** day

We paid *$5* for [the tickets](https://example.com/a?b=c) &amp; ![a picture](x.png).

1. First
2. Second

| Name | Age |
|------|-----|
| Ann  | 41  |

\`\`\`sh
npm run build
\`\`\`

The end.`
const SAID = [
  'A big day',
  'We paid five dollars for the tickets and a picture.',
  'one: First',
  'two: Second',
  ...['Name', 'Age', 'Ann', 'forty one'],
]

let service: TestRuntime
let server: SpeechServer
let [key, account] = ['', '']
beforeAll(async () => {
  ;[service, server] = await Promise.all([startTestRuntime({ worker: true }), startSpeechServer()])
  const engine = { base_url: server.url, max_in_flight: 1, profile: 'kokoro', retry_seconds: 1 }
  const voices = [{ slug: 'calm', name: 'Calm', engine_voice: 'v', language: 'English' }]
  await applyEndpoint(service.runtime, 'plain', engine, { voices })
  await applyEndpoint(service.runtime, 'markdown', engine, { voices, markup: 'markdown' })
  await applyEndpoint(service.runtime, 'no-code', engine, { voices, markup: 'markdown', code: 'skip' })
  const caller = await service.createCaller()
  key = caller.key
  account = caller.account
})
beforeEach(() => {
  server.calls.length = 0
})
afterAll(async () => {
  await service?.close()
  await server?.close()
})

/** What the server was asked to speak. */
const asked = () => server.calls.map(({ body }) => String(body.input).trim())
const balance = async (): Promise<bigint> => {
  const { rows } = await service.runtime.db.pool.query<{ credits: string }>(
    'select credits from account where id = $1',
    [account],
  )
  return BigInt(rows[0]!.credits)
}
const spoken = async (slug: string, text: string): Promise<string> => {
  const id = await submitText(service.url, key, slug, text)
  expect(await finishedJob(service.url, key, id)).toMatchObject({ status: 'completed' })
  return id
}
const captions = (id: string, format: string) =>
  call(`${service.url}/api/v1/voice/jobs/${id}/captions?format=${format}`, { key })
const speech = (model: string, more: object) =>
  call(`${service.url}/v1/audio/speech`, {
    method: 'POST',
    key,
    body: { model, input: TEXT, voice: 'calm', response_format: 'wav', ...more },
  })

test('an endpoint speaks Markdown without its marks, and its code if that is wanted', async () => {
  await spoken('markdown', TEXT)
  expect(asked()).toEqual([...SAID, 'npm run build', 'The end.'])
  server.calls.length = 0
  await spoken('no-code', TEXT)
  expect(asked()).toEqual([...SAID, 'The end.'])
})

test('a request of /v1 chooses its markup and whether code is read', async () => {
  expect((await speech('plain', { markup: 'markdown' })).status).toBe(200)
  expect(asked()).toEqual([...SAID, 'npm run build', 'The end.'])
  server.calls.length = 0
  expect((await speech('markdown', { code: 'skip' })).status).toBe(200)
  expect(asked()).toEqual([...SAID, 'The end.'])
  server.calls.length = 0
  expect((await speech('markdown', { markup: 'none', input: 'It is 2 * 3 *' })).status).toBe(200)
  expect(asked().join(' ')).toContain('*')
  server.calls.length = 0
  const ssml = '<speak>One <sub alias="two">2</sub></speak>'
  expect((await speech('plain', { markup: 'ssml', input: ssml })).status).toBe(200)
  expect(asked()).toEqual(['One two'])
})

test.each([
  ['markup', 'html'],
  ['markup', true],
  ['code', 'yes'],
])('%s of /v1 is no %j', async (name, value) => {
  const reply = await speech('plain', { [name]: value })
  expect([reply.status, reply.json<{ error: { param: string } }>().error.param]).toEqual([400, name])
  expect(asked()).toEqual([])
})

test('the markup is part of what a repeated request must have in common', async () => {
  const send = (more: object) =>
    call(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      key,
      headers: { 'idempotency-key': 'markup-1' },
      body: { model: 'plain', input: '# Hi', voice: 'calm', response_format: 'wav', ...more },
    })
  expect((await send({ markup: 'markdown' })).status).toBe(200)
  expect((await send({ markup: 'markdown' })).status).toBe(200)
  expect((await send({})).status).toBe(422)
  expect(asked()).toEqual(['Hi'])
})

test('marks cost nothing, and no Markdown is refused', async () => {
  for (const [text, characters] of [
    ['# **Hello** [you](https://example.com)', 'Hello you'.length],
    ['[[*_`~<a <!-- ![x', null],
  ] as const) {
    const before = await balance()
    await spoken('markdown', text)
    if (characters !== null) expect(before - (await balance())).toBe(BigInt(characters))
  }
})

test('captions and word times show the words, at their places', async () => {
  const id = await spoken('markdown', TEXT)
  const vtt = (await captions(id, 'vtt')).text
  for (const part of ['A big day', 'We paid $5 for the tickets & a picture.', 'First', 'npm run build', 'The end.'])
    expect(vtt.replace(/\s+/g, ' ').replaceAll('&amp;', '&')).toContain(part)
  expect(vtt).not.toMatch(/\*|https|\]|```|title/)
  const { words } = (await captions(id, 'json')).json<SpeechTimes>()
  expect(words.slice(0, 8).map(({ text }) => text)).toEqual(['A', 'big', 'day', 'We', 'paid', '$5', 'for', 'the'])
  for (const [index, { start, end }] of words.entries()) {
    expect(end).toBeGreaterThan(start)
    expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0)
  }
})

test('GraphQL names the markup, and the beginning of a text is without it', async () => {
  const id = await spoken('markdown', '# **Big** [day](x)\n\nText')
  const query = `{ endpointSchema(slug: "markdown") { markup } job(id: "${id}") { ... on VoiceJob { textExcerpt } } }`
  const reply = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query } })
  expect(reply.json<{ data: object }>().data).toEqual({
    endpointSchema: { markup: 'MARKDOWN' },
    job: { textExcerpt: 'Big day Text' },
  })
})
