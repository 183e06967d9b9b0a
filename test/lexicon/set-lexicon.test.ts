import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { runHere } from '../setup/processes/command-here.ts'
import { sonantOn } from '../setup/processes/process.ts'
import { humSeconds, type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { REFUSED, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'

const SCOPES = ['generate:voice', 'job:read', 'voice:library']
const VOICES = [
  { slug: 'calm', name: 'Calm', kind: 'preset', engine_voice: 'one' },
  { slug: 'otto', name: 'Otto', kind: 'preset', engine_voice: 'two' },
]

let service: TestRuntime
let server: SpeechServer
let [key, account] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  server = await startSpeechServer()
  const engine = { kind: 'openai-speech', base_url: server.url, model: 'm', retry_seconds: 0, pool: 'gpu' }
  for (const markup of ['none', 'pauses', 'ssml'])
    await applyEndpoint(service.runtime, markup, engine, { markup, voices: VOICES })
  account = await service.createAccount()
  key = (await service.createKey(account, SCOPES)).apiKey
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const submit = (slug: string, text: string, by = key) =>
  call(`${service.url}/api/v1/voice/${slug}`, { method: 'POST', key: by, body: { inputs: { text, voice: 'calm' } } })
const spoken = async (slug: string, text: string) => {
  const before = server.calls.length
  const { job_id: id } = (await submit(slug, text)).json<{ job_id: string }>()
  const job = await finishedJob(service.url, key, id)
  return { id, job, bodies: server.calls.slice(before).map(({ body }) => body) }
}
const put = (entries: unknown, by = key) =>
  call(`${service.url}/api/v1/lexicon`, { method: 'PUT', key: by, body: { entries } })
const costOf = async (id: string) =>
  Number((await service.runtime.db.pool.query('select cost from job where id = $1', [id])).rows[0].cost)
const wordsOf = async (id: string) =>
  (await call(`${service.url}/api/v1/voice/jobs/${id}/captions?format=json`, { key })).json<{
    words: { text: string; offset: number; length: number }[]
  }>().words

test('marks of SSML have their times in the JSON of captions, through both doors', async () => {
  const { id } = await spoken(
    'ssml',
    '<speak>😀 One <mark name="a"/>two.<mark/> <mark name="é&amp;"/>Three<mark name="z"/></speak>',
  )
  const times = (await call(`${service.url}/api/v1/voice/jobs/${id}/captions?format=json`, { key })).json<{
    words: { text: string; start: number; end: number }[]
    marks: { name: string; start: number; offset: number }[]
  }>()
  const [, two, three] = times.words
  expect(times.marks).toEqual([
    { name: 'a', start: two!.start, offset: 13 },
    { name: 'é&', start: three!.start, offset: 41 },
    { name: 'z', start: three!.end, offset: 67 },
  ])
  const query = `{ job(jobId: "${id}") { ... on VoiceJob { captions(format: JSON) } } }`
  expect(JSON.parse((await read<{ job: { captions: string } }>(service.url, key, query)).job.captions)).toEqual(times)
  const plain = await spoken('none', 'One <mark name="a"/>two.')
  expect(
    (await call(`${service.url}/api/v1/voice/jobs/${plain.id}/captions?format=json`, { key })).json(),
  ).not.toHaveProperty('marks')
})

test('an endpoint says through GraphQL what its texts may hold', async () => {
  expect(await read(service.url, key, '{ myEndpoints { slug markup } }')).toEqual({
    myEndpoints: [
      { slug: 'none', markup: 'NONE' },
      { slug: 'pauses', markup: 'PAUSES' },
      { slug: 'ssml', markup: 'SSML' },
      { slug: 'tts', markup: 'NONE' },
    ],
  })
})

describe('the lexicon of an account', () => {
  test('is replaced as a whole, shown as it was sent, and empty for another account', async () => {
    const entries = [
      { language: 'English', grapheme: 'SQL', alias: 'sequel' },
      { grapheme: 'gif', alias: 'jif' },
    ]
    expect((await put(entries)).json()).toEqual({ entries })
    expect((await call(`${service.url}/api/v1/lexicon`, { key })).json()).toEqual({ entries })
    const other = (await service.createKey(await service.createAccount(), SCOPES)).apiKey
    expect((await call(`${service.url}/api/v1/lexicon`, { key: other })).json()).toEqual({ entries: [] })
    const query = `mutation { setLexicon(entries: [{ grapheme: "gif", alias: "jif" }]) { ... on Lexicon { entries { grapheme alias language } } ${REFUSED} } }`
    expect(await read(service.url, key, query)).toEqual({
      setLexicon: { entries: [{ grapheme: 'gif', alias: 'jif', language: null }] },
    })
    expect(await read(service.url, key, '{ lexicon { entries { grapheme } } }')).toEqual({
      lexicon: { entries: [{ grapheme: 'gif' }] },
    })
  })

  test('has letters spoken that the voice does not read: they are no reason to refuse a text', async () => {
    const greek = { inputs: { text: 'Ελλάδα, Κύπρος', voice: 'aria' } }
    const ask = () => call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body: greek })
    await put([])
    expect([(await ask()).status, (await ask()).text]).toEqual([400, expect.stringContaining('Greek letters')])
    await put([
      { grapheme: 'Κύπρος', alias: 'Cyprus' },
      { grapheme: 'Ελλάδα', alias: 'Greece' },
    ])
    const { job_id: id } = (await ask()).json<{ job_id: string }>()
    expect((await finishedJob(service.url, key, id)).status).toBe('completed')
    expect((await wordsOf(id)).map(({ text }) => text)).toEqual(['Ελλάδα', 'Κύπρος'])
    const other = (await service.createKey(await service.createAccount(), SCOPES)).apiKey
    expect((await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: other, body: greek })).status).toBe(
      400,
    )
  })

  test('that was empty in between is no earlier one', async () => {
    const said = async (alias: string) => {
      await put([])
      await put([{ grapheme: 'SQL', alias }])
      return (await spoken('none', 'SQL.')).bodies[0]?.input
    }
    expect([await said('sequel'), await said('squeal')]).toEqual(['sequel.', 'squeal.'])
  })

  test('is set and shown by `sonant lexicon`', async () => {
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const [file, wrong] = [join(service.dataDir, 'lexicon.json'), join(service.dataDir, 'wrong.json')]
    await writeFile(file, JSON.stringify({ entries: [{ grapheme: 'SQL', alias: 'sequel' }] }))
    await writeFile(wrong, '{"entries": [{"grapheme": "SQL"}]}')
    const [set, refused] = await Promise.all([
      sonantOn(env, 'lexicon', 'set', file, '--account', account),
      runHere(['lexicon', 'set', wrong, '--account', account, '--json'], env),
    ])
    expect(set).toEqual({ entries: 1 })
    expect([refused.code, JSON.parse(refused.stdout).error_code]).toEqual([1, 'INVALID_REQUEST'])
    expect((await call(`${service.url}/api/v1/lexicon`, { key })).json()).toEqual({
      entries: [{ grapheme: 'SQL', alias: 'sequel' }],
    })
    const shown = await runHere(['lexicon', 'show', '--account', account], env)
    expect(await sonantOn(env, 'lexicon', 'show', '--account', account)).toEqual({
      items: [{ grapheme: 'SQL', alias: 'sequel' }],
      entries: [{ grapheme: 'SQL', alias: 'sequel' }],
    })
    expect(shown.stdout).toMatch(/WORD +SAID AS +LANGUAGE\s+SQL +sequel/)
  })

  test.each([
    ['NUL', 'a\0b'],
    ['an unpaired surrogate', 'a\ud800b'],
  ])('of a file with %s is refused by `sonant lexicon`', async (_what, alias) => {
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const file = join(service.dataDir, 'unstorable.json')
    await writeFile(
      file,
      JSON.stringify({
        entries: [
          { grapheme: String.raw`\u0000`, alias: 'a' },
          { grapheme: 'b', alias },
        ],
      }),
    )
    const refused = await runHere(['lexicon', 'set', file, '--account', account, '--json'], env)
    expect([refused.code, JSON.parse(refused.stdout)]).toEqual([
      1,
      expect.objectContaining({
        error_code: 'INVALID_REQUEST',
        details: [{ path: '/entries/1/alias', message: 'holds NUL or an unpaired surrogate' }],
      }),
    ])
  })

  test('is spoken by the next job, costs what was submitted, and captions point into that', async () => {
    await put([{ grapheme: 'SQL', alias: 'sequel language' }])
    const { id, job, bodies } = await spoken('none', 'I like SQL most.')
    expect([job.status, bodies.map(({ input }) => input)]).toEqual(['completed', ['I like sequel language most.']])
    expect(await costOf(id)).toBe(16)
    const words = await wordsOf(id)
    expect(words.at(-1)).toMatchObject({ offset: 11, length: 4 })
    expect(words.every(({ offset, length }) => offset + length <= 16)).toBe(true)
    await put([{ grapheme: 'SQL', alias: 'squeal' }])
    expect((await spoken('none', 'SQL?')).bodies[0]?.input).toBe('squeal?')
    await put([])
    expect((await spoken('none', 'SQL?')).bodies[0]?.input).toBe('SQL?')
  })

  test('of 10,000 entries is taken and spoken with; of 10,001, twice the same, or junk it is refused and stays as it was', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({ grapheme: `word${at}`, alias: `alias ${at}` }))
    expect((await put(many)).status).toBe(200)
    expect((await spoken('none', 'word9999 and word10000.')).bodies[0]?.input).toBe('alias 9999 and word10000.')
    const wrong: [unknown, string][] = [
      [[...many, { grapheme: 'x', alias: 'y' }], '/entries'],
      [
        [
          { grapheme: 'a', alias: 'b' },
          { grapheme: 'a', alias: 'c' },
        ],
        '/entries/1/grapheme',
      ],
      [
        [
          { grapheme: "don't", alias: 'b' },
          { grapheme: 'don\u2019t', alias: 'c' },
        ],
        '/entries/1/grapheme',
      ],
      [[{ grapheme: ' a', alias: 'b' }], '/entries/0/grapheme'],
      [[{ grapheme: 'a', alias: '!' }], '/entries/0/alias'],
      [[{ grapheme: 'a', alias: 'b', language: 'Klingon' }], '/entries/0/language'],
      [[{ grapheme: 'a' }], '/entries/0/alias'],
      [[{ grapheme: 'a\ufffc', alias: 'b' }], '/entries/0/grapheme'],
    ]
    for (const [entries, path] of wrong) {
      const answer = await put(entries)
      expect([answer.status, answer.json<{ details: { path: string }[] }>().details[0]?.path]).toEqual([400, path])
    }
    expect((await put([], (await service.createKey(account)).apiKey)).status).toBe(403)
    expect((await call(`${service.url}/api/v1/lexicon`, { key })).json<{ entries: object[] }>().entries).toHaveLength(
      10_000,
    )
  })

  test('with ESC or another control character is refused', async () => {
    const answer = await put([
      { grapheme: 'a', alias: 'b\u001b[2J' },
      { grapheme: 'a\u009bb', alias: 'c' },
    ])
    const { details } = answer.json<{ details: { path: string }[] }>()
    expect([answer.status, details.map(({ path }) => path)]).toEqual([400, ['/entries/0/alias', '/entries/1/grapheme']])
  })

  test('with a language that is empty is refused for that, and the same word without a language is another entry', async () => {
    const answer = await put([
      { grapheme: 'a', alias: 'b', language: '' },
      { grapheme: 'a', alias: 'c' },
    ])
    const { details } = answer.json<{ details: { path: string }[] }>()
    expect([answer.status, details.map(({ path }) => path)]).toEqual([400, ['/entries/0/language']])
  })

  test('that makes a text far longer than what is charged fails the job, which costs nothing then', async () => {
    await put([{ grapheme: 'a', alias: 'b'.repeat(200) }])
    const balance = async () =>
      (await service.runtime.db.pool.query('select credits from account where id = $1', [account])).rows[0].credits
    const before = await balance()
    expect((await spoken('none', 'a '.repeat(100))).job).toMatchObject({
      status: 'failed',
      error_code: 'RENDER_FAILED',
    })
    expect(await balance()).toBe(before)
    await put([])
  })
})

describe('markup', () => {
  test('pauses are heard and not spoken, where the endpoint takes them; elsewhere they are words', async () => {
    const { id, job, bodies } = await spoken('pauses', 'One.[pause:2s]Two.')
    expect(bodies.map(({ input }) => input).sort()).toEqual(['One.', 'Two.'])
    expect(await costOf(id)).toBe(8)
    const wav = parseWav(Buffer.from(await (await fetch(job.outputs!.audio)).arrayBuffer()))
    let [longest, run] = [0, 0]
    for (const sample of wav.samples) {
      run = Math.abs(sample) < 128 ? run + 1 : 0
      longest = Math.max(longest, run)
    }
    expect(longest / wav.sampleRate).toBeGreaterThanOrEqual(1.95)
    expect(longest / wav.sampleRate).toBeLessThan(2.3)
    expect((await wordsOf(id)).map(({ offset }) => offset)).toEqual([0, 14])
    expect((await spoken('none', 'One.[pause:2s]Two.')).bodies[0]?.input).toBe('One.[pause:2s]Two.')
  })

  test('SSML is spoken by chunk: voices, languages, rates, aliases', async () => {
    const text =
      '<speak>Hi <voice name="otto">you</voice><prosody rate="slow">there</prosody> <sub alias="World">W</sub></speak>'
    const { bodies, job } = await spoken('ssml', text)
    expect(job.status).toBe('completed')
    const said = bodies.map(({ input, voice, speed }) => [input, voice, speed]).sort()
    expect(said).toEqual([
      ['Hi', 'one', undefined],
      ['World', 'one', undefined],
      ['there', 'one', 0.75],
      ['you', 'two', undefined],
    ])
    expect((await spoken('ssml', 'Salt & pepper')).bodies[0]?.input).toBe('Salt & pepper')
  })

  test.each([
    [4, '400%', 4],
    [0.25, 'x-slow', 0.25],
    [2, 'slow', 1.5],
  ])('a rate within a speed of %d is no pace that a server refuses', async (speed, rate, asked) => {
    server.answer(({ body }) => ({ seconds: humSeconds(String(body.input)) / Number(body.speed) }))
    const input = `<speak><prosody rate="${rate}">Nobody waits for those who are late.</prosody></speak>`
    const before = server.calls.length
    const body = { model: 'ssml', voice: 'calm', speed, input }
    const answer = await call(`${service.url}/v1/audio/speech`, { method: 'POST', key, body })
    expect([answer.status, ...server.calls.slice(before).map((one) => one.body.speed)]).toEqual([200, asked])
    server.answer(() => ({}))
  })

  test('captions show SSML without its tags and escapes; a word of an alias is where what it stands for is', async () => {
    const text =
      '<speak>AT&amp;T &#60;b&gt; <sub alias="World Wide Web">WW&amp;W</sub> <sub alias="so"/> é&#128512;</speak>'
    const { id } = await spoken('ssml', text)
    const words = await wordsOf(id)
    expect(words.map(({ text: shown }) => shown)).toEqual(['AT', 'T', 'b', 'WW&W', 'so', 'é'])
    const { offset, length } = words[3]!
    expect(text.slice(offset, offset + length)).toBe('WW&amp;W')
    const shown = async (format: string) =>
      (await call(`${service.url}/api/v1/voice/jobs/${id}/captions?format=${format}`, { key })).text
    expect(await shown('vtt')).toContain('\nAT&amp;T &lt;b&gt; WW&amp;W so é😀\n')
    expect((await shown('srt')).replaceAll('\u2060', '')).toContain('\nAT&T <b> WW&W so é😀\n')
  })

  test.each([
    ['ssml', '<speak>Hello', /without its end/],
    ['ssml', '<speak><voice name="voice_01h455vb4pex5vsknk084sn02q">Hello</voice></speak>', /an unknown voice/],
    ['ssml', `<speak>a${'<break time="10s"/>'.repeat(3)}</speak>`, /20 s of pauses, and 1 s more for each/],
    ['ssml', '<speak><break time="1s"/></speak>', /not white space/],
    ['pauses', '[pause:1h]', /cannot be read/],
  ])('of %s %s is a 400 that names what is wrong, and makes no job', async (slug, text, message) => {
    const count = async () => (await service.runtime.db.pool.query('select count(*) from job')).rows[0].count
    const before = await count()
    const answer = await submit(slug, text)
    expect([answer.status, await count()]).toEqual([400, before])
    expect(answer.json()).toMatchObject({
      details: [{ path: '/inputs/text', message: expect.stringMatching(message) }],
    })
  })
})
