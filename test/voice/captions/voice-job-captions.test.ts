import { parse as parseStrictly } from 'node-webvtt'
import { default as SrtParser } from 'srt-parser-2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteAudio } from '../../../src/jobs/retention/delete-job.ts'
import type { SpeechTimes } from '../../../src/voice/captions/voice-job-captions.ts'
import { listen } from '../../../src/voice/timing/sounding-clock.ts'
import { call } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { parseWav } from '../../setup/speech/parse-wav.ts'

const TEXT =
  'Captions are for all who listen, and for those who cannot. They say: a --> b & <script>x</script>!\r\nThe end.'

let service: TestRuntime
let server: SpeechServer
let key: string
let jobId: string
beforeAll(async () => {
  ;[service, server] = await Promise.all([startTestRuntime({ worker: true }), startSpeechServer()])
  await applyEndpoint(service.runtime, 'plain')
  await applyEndpoint(service.runtime, 'remote', { base_url: server.url, max_in_flight: 4 })
  const properties = {
    text: { type: 'string' },
    voice: { type: 'string' },
    captions: { type: ['array', 'string', 'boolean'], items: { type: 'string' } },
  }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  for (const markup of ['ssml', 'pauses']) await applyEndpoint(service.runtime, markup, {}, { markup })
  await applyEndpoint(service.runtime, 'always', {}, { captions: { formats: ['srt', 'vtt'] } })
  const captions = { formats: ['vtt', 'json'], captions_input: 'captions' }
  await applyEndpoint(service.runtime, 'chosen', { base_url: server.url, max_in_flight: 4 }, { inputs, captions })
  key = (await service.createCaller()).key
  jobId = await submitText(service.url, key, 'plain', TEXT)
  await finishedJob(service.url, key, jobId)
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const captionsOf = (id: string, format?: string, options: { key?: string; method?: string } = { key }) =>
  call(`${service.url}/api/v1/voice/jobs/${id}/captions${format === undefined ? '' : `?format=${format}`}`, options)
const timesOf = async (id: string): Promise<SpeechTimes> => (await captionsOf(id, 'json')).json<SpeechTimes>()
const graphql = async (query: string, variables: object = {}) =>
  (await call(`${service.url}/graphql`, { method: 'POST', key, body: { query, variables } })).json<{
    data: Record<string, Record<string, unknown>>
    errors?: { message: string }[]
  }>()
const spoken = async (endpoint: string, text: string): Promise<string> => {
  const id = await submitText(service.url, key, endpoint, text)
  await finishedJob(service.url, key, id)
  return id
}
const readable = (text: string): string => text.replace(/\s+/g, ' ')

describe('the captions of a completed job', () => {
  test('are WebVTT, SubRip and JSON of one timing, under their own types and names', async () => {
    const [plain, vtt, srt, json] = await Promise.all(
      [undefined, 'vtt', 'srt', 'json'].map((format) => captionsOf(jobId, format)),
    )
    expect([plain, vtt, srt, json].map((reply) => [reply!.status, reply!.headers['content-type']])).toEqual([
      [200, 'text/vtt; charset=utf-8'],
      [200, 'text/vtt; charset=utf-8'],
      [200, 'application/x-subrip; charset=utf-8'],
      [200, 'application/json; charset=utf-8'],
    ])
    expect(srt!.headers).toMatchObject({
      'content-disposition': `inline; filename="${jobId}.srt"`,
      'cache-control': 'no-store',
    })
    expect(plain!.text).toBe(vtt!.text)
    expect(vtt!.text).not.toMatch(/<script|a -->/)
    const { cues } = parseStrictly(vtt!.text, { strict: true })
    const shown = cues.map(({ text }) => text).join(' ')
    expect(readable(shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))).toBe(
      readable(TEXT),
    )
    expect(new SrtParser().fromSrt(srt!.text)).toHaveLength(cues.length)
    const { timing, words, sentences } = json!.json<SpeechTimes>()
    expect(words.some(({ source }) => source === 'engine')).toBe(true)
    expect(timing).toBe(words.some(({ source }) => source === 'estimated') ? 'estimated' : 'engine')
    for (const { text, offset, length, start, end } of [...words, ...sentences]) {
      expect([...TEXT].slice(offset, offset + length).join('')).toBe(text)
      expect(end).toBeGreaterThanOrEqual(start)
    }
    expect(cues[0]!.start).toBe(sentences[0]!.start)
    expect((await captionsOf(jobId, 'vtt', { key, method: 'HEAD' })).bytes.length).toBe(0)
  })

  test('are the same through GraphQL, with its words, sentences and what they rely on', async () => {
    const query = `query ($id: ID!) { voiceJob(jobId: $id) { vtt: captions srt: captions(format: SRT) json: captions(format: JSON) timing
      words { text start end offset length source } sentences { text start end offset length source } } }`
    const shown = (await graphql(query, { id: jobId })).data.voiceJob!
    const times = await timesOf(jobId)
    const upper = (all: SpeechTimes['words']) => all.map((one) => ({ ...one, source: one.source.toUpperCase() }))
    expect(shown.vtt).toBe((await captionsOf(jobId, 'vtt')).text)
    expect(shown.srt).toBe((await captionsOf(jobId, 'srt')).text)
    expect(JSON.parse(shown.json as string)).toEqual(times)
    expect(shown).toMatchObject({
      timing: times.timing.toUpperCase(),
      words: upper(times.words),
      sentences: upper(times.sentences),
    })
  })

  test('cost a query what they are: those of many jobs are asked for a few at a time', async () => {
    const asking = (field: string) => graphql(`{ jobPage(limit: 50) { jobs { ... on VoiceJob { ${field} } } } }`)
    for (const field of ['captions', 'words { text }'])
      expect((await asking(field)).errors![0]!.message).toContain('ask for smaller pages')
    expect(
      (await graphql('{ jobPage(limit: 2) { jobs { ... on VoiceJob { captions timing } } } }')).errors,
    ).toBeUndefined()
  })
})

describe('the times of words', () => {
  // A pause before and after each word shows in the audio when it really begins.
  test.each([
    ['English', 'Seven. Bottles. Garden. Doctor. Table.'],
    ['French', 'Bonjour. Table. Demain. Garder.'],
    ['German', 'Guten. Bruder. Tage. Dunkel.'],
    ['Spanish', 'Bueno. Tarde. Camino. Dormir.'],
    ['Japanese', '東京。大阪。京都。'],
  ])('in %s are within 60 ms of what is heard', async (_language, text) => {
    const id = await spoken('plain', text)
    const { sentences, words } = await timesOf(id)
    const wav = parseWav((await call((await readJob(service.url, key, id)).outputs!.audio)).bytes)
    const { speech, gaps } = listen(wav)
    const onsets = [speech.from, ...gaps.map(({ to }) => to)].map((sample) => sample / wav.sampleRate)
    for (const { start } of sentences)
      expect(Math.min(...onsets.map((onset) => Math.abs(onset - start)))).toBeLessThan(0.06)
    expect(sentences.map(({ source }) => source)).toEqual(sentences.map(() => 'engine'))
    expect(words.map(({ text: word }) => word).join('')).toBe(text.replace(/[\s.。]/gu, ''))
  })

  test('of a long text are exact at its chunks, on an engine that says nothing of time', async () => {
    const sentence = 'This is a sentence of a text that is much too long to be spoken as one.'
    const id = await spoken('remote', Array.from({ length: 6 }, () => sentence).join(' '))
    const { timing, words, sentences } = await timesOf(id)
    expect([timing, sentences.length, words.length]).toEqual(['estimated', 6, 6 * 17])
    expect(words.every(({ source }) => source === 'estimated')).toBe(true)
    const wav = parseWav((await call((await readJob(service.url, key, id)).outputs!.audio)).bytes)
    // Its hum stops between chunks alone.
    const { speech, gaps } = listen(wav)
    expect(gaps.length).toBeGreaterThan(0)
    const at = (sample: number) => sample / wav.sampleRate
    for (const { from, to } of gaps) {
      expect(Math.min(...sentences.map(({ end }) => Math.abs(end - at(from))))).toBeLessThan(0.02)
      expect(Math.min(...sentences.map(({ start }) => Math.abs(start - at(to))))).toBeLessThan(0.02)
    }
    expect(Math.abs(sentences.at(-1)!.end - at(speech.to))).toBeLessThan(0.02)
  })

  test('of speech that was stored without any are estimated from how long it is', async () => {
    const id = await spoken('plain', TEXT)
    const before = await timesOf(id)
    const { db } = service.runtime
    for (const timing of [null, Buffer.from([99])]) {
      await db.pool.query('update artifact set timing = $2 where job_id = $1', [id, timing])
      const { timing: source, words, sentences } = await timesOf(id)
      expect(source).toBe('estimated')
      expect(words.map(({ text }) => text)).toEqual(before.words.map(({ text }) => text))
      expect(sentences.length).toBe(before.sentences.length)
      expect(Math.abs(sentences.at(-1)!.end - before.sentences.at(-1)!.end)).toBeLessThan(0.3)
      expect((await captionsOf(id, 'srt')).status).toBe(200)
    }
  })
})

describe('a text whose letters and marks were submitted apart', () => {
  const TEXTS = ['Müller mag Äpfel.', 'Мой ёжик й', '한국어', 'ガギグ']

  test.each(TEXTS)('is spoken as the composed one is: %s', async (text) => {
    const ids = await Promise.all(['NFC', 'NFD'].map((form) => spoken('plain', text.normalize(form))))
    const [one, other] = await Promise.all(
      ids.map(async (id) => (await call((await readJob(service.url, key, id)).outputs!.audio)).bytes),
    )
    expect(other!.equals(one!)).toBe(true)
    const times = await timesOf(ids[1]!)
    expect(times.words.map((word) => word.text).join('')).toBe(text.normalize('NFD').replace(/[ .]/g, ''))
    const points = Array.from(text.normalize('NFD'))
    expect(times.words.map(({ offset, length }) => points.slice(offset, offset + length).join(''))).toEqual(
      times.words.map((word) => word.text),
    )
  })

  test('reaches a server composed', async () => {
    await spoken('remote', 'Mu\u0308ller')
    expect(server.calls.at(-1)!.body.input).toBe('Müller')
  })
})

describe('captions among the outputs', () => {
  test('are those that the endpoint file lists, under signed URLs that need no key, and declared in its schema', async () => {
    const id = await spoken('always', TEXT)
    const { outputs } = (await readJob(service.url, key, id)) as unknown as { outputs: Record<string, string> }
    expect(Object.keys(outputs).sort()).toEqual(['audio', 'captions_srt', 'captions_vtt'])
    for (const format of ['srt', 'vtt']) {
      const file = await call(outputs[`captions_${format}`]!)
      expect([file.status, file.text]).toEqual([200, (await captionsOf(id, format)).text])
      expect(file.headers['content-type']).toBe((await captionsOf(id, format)).headers['content-type'])
    }
    expect((await call(outputs.captions_srt!.replace('.srt', '.vtt'))).status).toBe(403)
    const { schema } = (await call(`${service.url}/api/v1/voice/always/schema`, { key })).json<{ schema: object }>()
    const uri = { type: 'string', format: 'uri' }
    expect(schema).toMatchObject({
      'x-outputs': { audio: { ...uri, media_type: 'audio' }, captions_srt: uri, captions_vtt: uri },
    })
    const { schema: plain } = (await call(`${service.url}/api/v1/voice/plain/schema`, { key })).json<{
      schema: object
    }>()
    expect(plain).toMatchObject({ 'x-outputs': { audio: { ...uri, media_type: 'audio' } } })
    expect(Object.keys((plain as Record<string, object>)['x-outputs']!)).toEqual(['audio'])
    const shown = (await call(`${service.url}/api/v1/jobs/${id}`, { key })).json<{
      result: { outputs: Record<string, string> }
    }>()
    expect(Object.keys(shown.result.outputs).sort()).toEqual(['audio', 'captions_srt', 'captions_vtt'])
    const url = shown.result.outputs.captions_srt as string
    const { etag = '' } = (await call(url)).headers
    const again = await call(url, { headers: { 'if-none-match': etag } })
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag])
    const other = await call(url, { headers: { 'if-match': '"other"' } })
    expect([other.status, (await call(url, { headers: { 'if-match': etag } })).status]).toEqual([412, 200])
  })

  test('are those that its input chooses; the input is no matter of the engine, and what is not listed is refused', async () => {
    const submit = (captions: unknown) => {
      const inputs = { text: TEXT, voice: 'calm', ...(captions !== undefined && { captions }) }
      return call(`${service.url}/api/v1/voice/chosen`, { method: 'POST', key, body: { inputs } })
    }
    const outputsOf = async (captions: unknown) => {
      const { job_id: id } = (await submit(captions)).json<{ job_id: string }>()
      return Object.keys((await finishedJob(service.url, key, id)).outputs!).sort()
    }
    expect(await outputsOf(undefined)).toEqual(['audio'])
    expect(await outputsOf('json')).toEqual(['audio', 'captions_json'])
    expect(await outputsOf(['vtt'])).toEqual(['audio', 'captions_vtt'])
    expect(await outputsOf(true)).toEqual(['audio', 'captions_json', 'captions_vtt'])
    expect(await outputsOf(false)).toEqual(['audio'])
    expect(server.calls.every(({ body }) => !('captions' in body))).toBe(true)
    const refused = await submit(['srt'])
    expect([refused.status, refused.json<{ details: unknown }>().details]).toEqual([
      400,
      [{ path: '/inputs/captions', message: 'must be among vtt, json' }],
    ])
  })

  test('are those that a GraphQL submission asks for, of any endpoint', async () => {
    const mutation = `mutation ($slug: String!, $captions: [CaptionFormat!]) { submitVoiceJob(slug: $slug, captions: $captions,
      inputs: { text: "Hello.", voice: "calm" }) { ... on VoiceJobSubmission { jobId } ... on RequestError { details { path message } } } }`
    const made = (await graphql(mutation, { slug: 'plain', captions: ['JSON'] })).data.submitVoiceJob!
    await finishedJob(service.url, key, made.jobId as string)
    const query = 'query ($id: ID!) { voiceJob(jobId: $id) { outputs result { outputs } } }'
    const shown = (await graphql(query, { id: made.jobId })).data.voiceJob as { outputs: Record<string, string> }
    expect(Object.keys(shown.outputs).sort()).toEqual(['audio', 'captions_json'])
    expect((await call(shown.outputs.captions_json!)).json<SpeechTimes>().words[0]!.text).toBe('Hello')
    expect((await graphql(mutation, { slug: 'always', captions: ['JSON'] })).data.submitVoiceJob).toMatchObject({
      details: [{ path: '/captions', message: 'must be among srt, vtt' }],
    })
  })

  test('an endpoint file that names no input or an unknown format is refused, and shows its block as it was', async () => {
    const wrong = async (captions: object) =>
      applyEndpoint(service.runtime, 'plain', {}, { captions }).then(
        () => '',
        (error: { details: { message: string }[] }) => error.details[0]!.message,
      )
    expect(await wrong({ formats: ['ass'] })).toContain('captions.formats.0')
    expect(await wrong({ formats: ['vtt'], captions_input: 'subs' })).toContain('needs inputs with the property "subs"')
    expect(await wrong({ formats: [] })).toContain('at least one')
    expect(await wrong({ formats: ['vtt', 'vtt'] })).toContain('once')
    expect(service.runtime.catalog.current.endpoints.get('chosen')?.captions).toEqual({
      formats: ['vtt', 'json'],
      captions_input: 'captions',
    })
  })
})

describe('the captions of a job that has none', () => {
  test('are a clear error: unknown formats, jobs of others, unfinished, failed and deleted ones, other scopes', async () => {
    const other = await service.createCaller()
    const weak = await service.createKey(other.account, ['generate:voice'])
    await applyEndpoint(service.runtime, 'waiting', {
      base_url: 'http://127.0.0.1:9',
      pool: 'nowhere',
      retry_seconds: 60,
    })
    const waiting = await submitText(service.url, key, 'waiting', TEXT)
    const codes = async (reply: Promise<{ status: number; text: string }>) => {
      const { status, text } = await reply
      return [status, JSON.parse(text).error_code]
    }
    expect(await codes(captionsOf(jobId, 'ass'))).toEqual([400, 'INVALID_REQUEST'])
    expect(await codes(captionsOf(jobId, 'vtt', {}))).toEqual([401, 'UNAUTHORIZED'])
    expect(await codes(captionsOf(jobId, 'vtt', { key: weak.apiKey }))).toEqual([403, 'FORBIDDEN'])
    const [missing, foreign] = await Promise.all([
      captionsOf('job_00000000000000000000000000', 'vtt'),
      captionsOf(jobId, 'vtt', { key: other.key }),
    ])
    expect([missing.status, foreign.status, foreign.text]).toEqual([404, 404, missing.text])
    expect(Object.keys(foreign.headers).sort()).toEqual(Object.keys(missing.headers).sort())
    const unfinished = await captionsOf(waiting)
    expect([unfinished.status, unfinished.headers['retry-after']]).toEqual([409, '1'])
    expect(unfinished.json<{ error_code: string }>().error_code).toBe('JOB_UNFINISHED')
    const query = 'query ($id: ID!) { voiceJob(jobId: $id) { captions words { text } sentences { text } timing } }'
    const nothing = { captions: null, words: null, sentences: null, timing: null }
    expect((await graphql(query, { id: waiting })).data.voiceJob).toEqual(nothing)
    await graphql('mutation ($id: ID!) { cancelJob(jobId: $id) { __typename } }', { id: waiting })
    expect(await codes(captionsOf(waiting))).toEqual([404, 'NOT_FOUND'])
    const gone = await spoken('always', TEXT)
    const { outputs } = (await readJob(service.url, key, gone)) as unknown as { outputs: Record<string, string> }
    await deleteAudio(service.runtime, [gone])
    expect(await codes(captionsOf(gone))).toEqual([410, 'GONE'])
    expect(await codes(call(outputs.captions_vtt!))).toEqual([410, 'GONE'])
    expect((await graphql(query, { id: gone })).data.voiceJob).toEqual(nothing)
  })
})

describe('the captions of a text with markup', () => {
  test.each([
    ['ssml', '<speak>Hello<break time="1s"/>world</speak>', ['Hello', 'world']],
    ['ssml', '<speak>Hello<break time="200ms"/>world</speak>', ['Hello world']],
    ['ssml', '<speak><p>Chapter one</p><p>The house stood.</p></speak>', ['Chapter one', 'The house stood.']],
    ['ssml', '<speak><s>Chapter one<break time="200ms"/></s><s>the house</s></speak>', ['Chapter one', 'the house']],
    [
      'ssml',
      '<speak>One <prosody rate="slow">two</prosody>, three <emphasis>fo</emphasis>ur</speak>',
      ['One two, three four'],
    ],
    ['ssml', '<speak>Hello<desc>hidden</desc><metadata>secret</metadata>world</speak>', ['Hello world']],
    ['pauses', 'Hello[pause:1.5s]world.', ['Hello', 'world.']],
    ['pauses', 'Hello[pause:0.2s]world.', ['Hello world.']],
  ])('part words and sentences where it does: %s %s', async (endpoint, text, sentences) => {
    const id = await spoken(endpoint, text)
    const times = await timesOf(id)
    expect(times.sentences.map((sentence) => sentence.text)).toEqual(sentences)
    const words = sentences.join(' ').match(/\w+/g)
    expect(times.words.map((word) => word.text)).toEqual(words)
    for (const { text: word, offset, length } of times.words)
      expect(text.slice(offset, offset + length).replace(/<.*?>/g, '')).toBe(word)
    const { cues } = parseStrictly((await captionsOf(id, 'vtt')).text, { strict: true })
    expect(readable(cues.map((cue) => cue.text).join(' '))).toBe(sentences.join(' '))
  })
})
