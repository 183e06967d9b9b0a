import { readdirSync, readlinkSync } from 'node:fs'
import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AnyFormat, AUDIO_FORMATS, FILE_FORMATS, FILE_TYPES, PCM_RATE } from '../../src/audio/format.ts'
import type { Wav } from '../../src/audio/wav.ts'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { fileProblems } from '../setup/speech/file-problems.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'
import { samplesOf, similarity } from '../setup/speech/sound.ts'
import { until } from '../setup/wait.ts'

const TEXT = 'Formats of audio are for those who listen.'
const inputs = { text: TEXT, voice: 'calm' }

let service: TestRuntime
let key: string
let account: string
let jobId: string
let spoken: Wav
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  await applyEndpoint(service.runtime, 'plain')
  await applyEndpoint(service.runtime, 'books', {}, { audio: { formats: [...FILE_FORMATS].reverse() } })
  const properties = {
    text: { type: 'string' },
    voice: { type: 'string' },
    audio_format: { type: 'string', enum: ['flac', 'mp3'] },
  }
  const schema = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  const audio = { formats: ['mp3', 'flac'], format_input: 'audio_format' }
  await applyEndpoint(service.runtime, 'shaped', {}, { inputs: schema, audio })
  ;({ key, account } = await service.createCaller())
  jobId = await submitText(service.url, key, 'plain', TEXT)
  const job = await finishedJob(service.url, key, jobId)
  spoken = parseWav((await call(job.outputs!.audio)).bytes)
})
afterAll(() => service.close())

const audioOf = (id: string, format?: string, options: { key?: string; method?: string } = { key }) =>
  call(`${service.url}/api/v1/voice/jobs/${id}/audio${format === undefined ? '' : `?format=${format}`}`, options)
const heard = async (bytes: Uint8Array, format: AnyFormat): Promise<Wav> =>
  format === 'pcm'
    ? { sampleRate: PCM_RATE, channels: 1, samples: samplesOf(bytes) }
    : service.runtime.audio.decode(bytes, format)
const signedUrl = async (id: string, format: string): Promise<string> => {
  const query = `query ($id: ID!) { voiceJob(jobId: $id) { audioUrl(format: ${format.toUpperCase()}) } }`
  return (await graphql(query, { id })).data.voiceJob!.audioUrl!
}
const graphql = async (query: string, variables: object = {}) =>
  (await call(`${service.url}/graphql`, { method: 'POST', key, body: { query, variables } })).json<{
    data: Record<string, Record<string, string>>
    errors?: { message: string }[]
  }>()

describe('a completed job', () => {
  test.each(AUDIO_FORMATS)('is read as %s, which sounds like what was spoken and lasts as long', async (format) => {
    const reply = await audioOf(jobId, format)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, FILE_TYPES[format]])
    expect(reply.headers['content-disposition']).toBe(`inline; filename="${jobId}.${format}"`)
    expect(reply.headers['content-encoding']).toBeUndefined()
    const audio = await heard(reply.bytes, format)
    expect(similarity(spoken, audio).score).toBeGreaterThan(format === 'opus' ? 0.85 : 0.94)
    const [lasts, should] = [audio, spoken].map((one) => one.samples.length / one.sampleRate)
    expect(Math.abs(lasts! - should!)).toBeLessThan(0.13)
    if (format === 'flac' || format === 'wav') expect(audio).toEqual(spoken)
    expect(fileProblems(reply.bytes, format)).toEqual([])
  })

  test('is read as it is stored without a format, HEAD reads nothing, and its own format is the very file', async () => {
    const [plain, wav, head] = [
      await audioOf(jobId),
      await audioOf(jobId, 'wav'),
      await audioOf(jobId, 'mp3', { key, method: 'HEAD' }),
    ]
    expect(plain.bytes.equals(wav.bytes)).toBe(true)
    expect([head.status, head.headers['content-type'], head.bytes.length]).toEqual([200, 'audio/mpeg', 0])
  })

  test('has signed URLs in every format, that need no key', async () => {
    const fields = AUDIO_FORMATS.map((format) => `${format}: audioUrl(format: ${format.toUpperCase()})`).join(' ')
    const { data } = await graphql(
      `query ($id: ID!) { voiceJob(jobId: $id) { own: audioUrl ${fields} live: liveUrl } }`,
      { id: jobId },
    )
    const urls = data.voiceJob!
    expect(urls.own).toContain('/audio.wav?')
    for (const format of AUDIO_FORMATS) {
      const reply = await call(urls[format]!)
      expect([reply.status, reply.headers['content-type']]).toEqual([200, FILE_TYPES[format]])
      expect(reply.bytes.length).toBeGreaterThan(5000)
    }
    expect((await call(urls.live!)).headers['content-type']).toBe('audio/mpeg')
    expect((await call(urls.mp3!.replace('.mp3', '.wav'))).status).toBe(403)
    expect((await call(urls.mp3!, { method: 'HEAD' })).bytes.length).toBe(0)
  })
})

describe('reading audio at once', () => {
  const MOST = { encoded: 24, large: 8, decoded: 4 }
  const takeAll = (share: keyof typeof MOST, but = 0) =>
    Promise.all(Array.from({ length: MOST[share] - but }, () => service.runtime.audio.shares[share].acquire(account)))

  test.each([
    ['encoded', 'plain', 'mp3'],
    ['large', 'plain', 'flac'],
    ['decoded', 'shaped', 'wav'],
  ] as const)(
    'waits for the account to have a place among what is %s, and gives it back',
    async (share, slug, format) => {
      const id = await submitText(service.url, key, slug, TEXT)
      await finishedJob(service.url, key, id)
      const taken = await takeAll(share)
      const acquired = vi.spyOn(service.runtime.audio.shares[share], 'acquire')
      let isAnswered = false
      const waiting = audioOf(id, format).finally(() => {
        isAnswered = true
      })
      await until(
        () => acquired.mock.calls.some(([owner]) => owner === account),
        60_000,
        'the request to ask for a place',
      )
      acquired.mockRestore()
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(isAnswered).toBe(false)
      const other = (await service.createCaller()).account
      ;(await service.runtime.audio.shares[share].acquire(other))()
      taken.pop()?.()
      expect((await waiting).status).toBe(200)
      // Without its end, too: a reader that leaves.
      const left = get(await signedUrl(id, format))
      await new Promise((resolve) => left.once('response', resolve).once('error', resolve))
      left.destroy()
      for (const release of taken) release()
      for (const release of await takeAll(share)) release()
    },
  )
})

describe('the peaks of an artifact', () => {
  const peaksOf = async (id: string, count: number) => {
    const query = `query ($id: ID!) { voiceJob(jobId: $id) { artifacts { peaks(count: ${count}) } } }`
    const { data, errors } = await graphql(query, { id })
    const job = data?.voiceJob as unknown as { artifacts: { peaks: number[] | null }[] } | undefined
    return {
      peaks: job?.artifacts[0]?.peaks,
      code: (errors?.[0] as { extensions?: { code: string } })?.extensions?.code,
    }
  }

  test('are its loudest samples, stretch by stretch, in whatever format it is stored', async () => {
    const { peaks } = await peaksOf(jobId, 10)
    const { samples } = spoken
    const loudest = (from: number, to: number) =>
      samples
        .subarray(Math.ceil(from * samples.length), Math.ceil(to * samples.length))
        .reduce((most, sample) => Math.max(most, Math.abs(sample) / 32_768), 0)
    const bars = Array.from({ length: 10 }, (_bar, at) => loudest(at / 10, (at + 1) / 10))
    expect(peaks).toEqual(bars.map((bar) => expect.closeTo(bar, 2)))
    const mp3 = await submitText(service.url, key, 'shaped', TEXT)
    await finishedJob(service.url, key, mp3)
    const encoded = (await peaksOf(mp3, 10)).peaks ?? []
    expect([encoded.length, Math.abs(Math.max(...encoded) - Math.max(...bars)) < 0.2]).toEqual([10, true])
  })

  test('are 1 to 1,000, and none once the audio was deleted', async () => {
    expect([(await peaksOf(jobId, 0)).code, (await peaksOf(jobId, 1001)).code]).toEqual([
      'INVALID_REQUEST',
      'INVALID_REQUEST',
    ])
    const gone = await submitText(service.url, key, 'plain', TEXT)
    await finishedJob(service.url, key, gone)
    await service.runtime.db.pool.query('update artifact set deleted_at = now() where job_id = $1', [gone])
    expect((await peaksOf(gone, 10)).peaks).toBeNull()
  })
})

/** Files of the store that this process has open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(service.dataDir)
    } catch {
      return false
    }
  }).length

describe('audio that is not read to its end', () => {
  test.each(AUDIO_FORMATS)(
    'leaves no file open: %s, asked for with HEAD, or by clients that hang up',
    async (format) => {
      const before = openFiles()
      const url = `${service.url}/api/v1/voice/jobs/${jobId}/audio?format=${format}`
      const headers = { authorization: `Bearer ${key}` }
      const hangUp = async () => {
        const request = get(url, { headers })
        await new Promise((resolve) => request.on('response', (response) => resolve(response.destroy())))
      }
      for (let n = 0; n < 3; n++) {
        expect((await audioOf(jobId, format, { key, method: 'HEAD' })).status).toBe(200)
        await hangUp()
      }
      // Sooner than the garbage collector comes by.
      await until(() => openFiles() <= before, 3000, 'all files to be closed')
    },
  )
})

describe('a job that is stored in another format', () => {
  test.each(FILE_FORMATS)(
    'is a file of %s, by the argument audioFormat, and is read in every other',
    async (format) => {
      const mutation = `mutation ($inputs: JSON!) { submitVoiceJob(slug: "books", inputs: $inputs, audioFormat: ${format.toUpperCase()}) {
      ... on VoiceJobSubmission { jobId } ... on RequestError { message } } }`
      const made = (await graphql(mutation, { inputs })).data.submitVoiceJob!
      const job = await finishedJob(service.url, key, made.jobId!)
      expect(Object.keys(job.outputs!)).toEqual(['audio'])
      const file = await call(job.outputs!.audio)
      expect(file.headers['content-type']).toBe(FILE_TYPES[format])
      expect(job.outputs!.audio).toContain(`audio.${format}?`)
      expect(similarity(spoken, await heard(file.bytes, format)).score).toBeGreaterThan(0.85)
      const wav = parseWav((await audioOf(made.jobId!, 'wav')).bytes)
      expect(similarity(spoken, wav).score).toBeGreaterThan(0.85)
    },
  )

  test('takes the first format of its endpoint, or the one that its input names; the input is no matter of the engine', async () => {
    const submit = async (more: object) => {
      const body = { inputs: { ...inputs, ...more } }
      return call(`${service.url}/api/v1/voice/shaped`, { method: 'POST', key, body })
    }
    const typeOf = async (more: object) => {
      const { job_id: id } = (await submit(more)).json<{ job_id: string }>()
      return (await call((await finishedJob(service.url, key, id)).outputs!.audio)).headers['content-type']
    }
    expect(await typeOf({})).toBe('audio/mpeg')
    expect(await typeOf({ audio_format: 'flac' })).toBe('audio/flac')
    expect((await submit({ audio_format: 'opus' })).status).toBe(400)
    const mutation = `mutation ($inputs: JSON!) { submitVoiceJob(slug: "shaped", inputs: $inputs, audioFormat: WAV) {
      ... on RequestError { message details { path message } } } }`
    expect((await graphql(mutation, { inputs })).data.submitVoiceJob).toMatchObject({
      details: [{ path: '/audioFormat', message: 'must be one of mp3, flac' }],
    })
  })

  test('is an M4B file only of endpoints that list it, and is not made of another format', async () => {
    const submit = (slug: string) =>
      call(`${service.url}/api/v1/voice/${slug}`, { method: 'POST', key, body: { inputs } })
    const book = (await submit('books')).json<{ job_id: string }>().job_id
    const job = await finishedJob(service.url, key, book)
    const reply = await audioOf(book)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'audio/mp4'])
    expect(reply.headers['content-disposition']).toContain('.m4b')
    expect(reply.bytes.equals((await call(job.outputs!.audio)).bytes)).toBe(true)
    const urls = 'query ($id: ID!) { voiceJob(jobId: $id) { audioUrl(format: M4B) liveUrl(format: M4B) } }'
    const ofBook = (await graphql(urls, { id: book })).data.voiceJob!
    expect([(await call(ofBook.audioUrl!)).bytes.equals(reply.bytes), ofBook.liveUrl]).toEqual([true, null])
    expect((await graphql(urls, { id: jobId })).data.voiceJob).toEqual({ audioUrl: null, liveUrl: null })
    expect((await audioOf(jobId, 'm4b')).status).toBe(400)
    const refused = `mutation ($inputs: JSON!) { submitVoiceJob(slug: "plain", inputs: $inputs, audioFormat: M4B) {
      ... on RequestError { message details { path message } } } }`
    expect((await graphql(refused, { inputs })).data.submitVoiceJob).toMatchObject({
      details: [{ path: '/audioFormat', message: 'must be one of wav, mp3, opus, flac' }],
    })
  })

  test('an endpoint file that names no input or an unknown format is refused', async () => {
    const wrong = async (audio: object) =>
      applyEndpoint(service.runtime, 'plain', {}, { audio }).then(
        () => '',
        (error: { details: { message: string }[] }) => error.details[0]!.message,
      )
    expect(await wrong({ formats: ['aac'] })).toContain('audio.formats.0')
    expect(await wrong({ formats: ['wav'], format_input: 'form' })).toContain('needs inputs with the property "form"')
    expect(await wrong({ formats: [] })).toContain('at least one')
  })
})

describe('the audio of a job that has none', () => {
  test('is a clear error: unknown formats, jobs of others, unfinished and failed ones, other scopes', async () => {
    const other = await service.createCaller()
    const weak = await service.createKey(other.account, ['generate:voice'])
    // Its engine is away, and asked again for a minute.
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
    expect(await codes(audioOf(jobId, 'aac'))).toEqual([400, 'INVALID_REQUEST'])
    expect(await codes(audioOf('job_none', 'mp3'))).toEqual([404, 'NOT_FOUND'])
    expect(await codes(audioOf(jobId, 'mp3', { key: other.key }))).toEqual([404, 'NOT_FOUND'])
    expect(await codes(audioOf(jobId, 'mp3', {}))).toEqual([401, 'UNAUTHORIZED'])
    expect(await codes(audioOf(jobId, 'mp3', { key: weak.apiKey }))).toEqual([403, 'FORBIDDEN'])
    const gone = await submitText(service.url, key, 'plain', TEXT)
    await finishedJob(service.url, key, gone)
    await service.runtime.storage.deleteBelow(gone)
    for (const format of ['wav', 'mp3']) expect(await codes(audioOf(gone, format))).toEqual([404, 'NOT_FOUND'])
    const unfinished = await audioOf(waiting, 'mp3')
    expect([unfinished.status, unfinished.headers['retry-after']]).toEqual([409, '1'])
    expect(unfinished.json<{ error_code: string }>().error_code).toBe('JOB_UNFINISHED')
    await graphql('mutation ($id: ID!) { cancelJob(jobId: $id) { __typename } }', { id: waiting })
    expect((await readJob(service.url, key, waiting)).status).toBe('failed')
    expect(await codes(audioOf(waiting, 'mp3'))).toEqual([404, 'NOT_FOUND'])
    const shown = await graphql('query ($id: ID!) { voiceJob(jobId: $id) { audioUrl liveUrl } }', { id: waiting })
    expect(shown.data.voiceJob).toEqual({ audioUrl: null, liveUrl: null })
  })
})
