import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { partKey } from '../../src/jobs/live-parts.ts'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint, readJob } from '../setup/jobs/voice-jobs.ts'
import { type S3Server, startS3Server } from '../setup/servers/s3-server.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'
import { samplesOf } from '../setup/speech/sound.ts'
import { until } from '../setup/wait.ts'

const OPENING = 'This is the sentence that is heard before all others are.'
const TEXT = `${OPENING} ${'And this is one of those that come later on, one after the other.\n\n'.repeat(6)}`
const SUBMIT = `mutation ($text: String!, $slug: String = "bucket") { submitVoiceJob(slug: $slug, inputs: { text: $text, voice: "calm" }, live: true) {
  ... on VoiceJobSubmission { jobId } } }`

let s3: S3Server
let server: SpeechServer
let service: TestRuntime
let [key, account] = ['', '']
beforeAll(async () => {
  ;[s3, server] = await Promise.all([startS3Server(), startSpeechServer()])
  service = await startTestRuntime({ worker: true, env: s3.env })
  const engine = { base_url: server.url, max_in_flight: 2, retry_seconds: 1 }
  await applyEndpoint(service.runtime, 'bucket', engine)
  await applyEndpoint(service.runtime, 'flac', engine, { audio: { formats: ['flac'] } })
  ;({ key, account } = await service.createCaller())
})
afterAll(async () => {
  await service.close()
  await Promise.all([server.close(), s3.close()])
})

const graphql = async <T>(query: string, variables: object): Promise<T> =>
  (await call(`${service.url}/graphql`, { method: 'POST', key, body: { query, variables } })).json<{ data: T }>().data

/** A job whose opening is spoken, its live audio, and what lets the rest be spoken. */
async function startLive(slug = 'bucket'): Promise<{ jobId: string; url: string; speakRest: () => void }> {
  const rest = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith(OPENING) ? {} : { until: rest.promise }))
  const { submitVoiceJob } = await graphql<{ submitVoiceJob: { jobId: string } }>(SUBMIT, { text: TEXT, slug })
  const { jobId } = submitVoiceJob
  const query = 'query ($id: ID!) { voiceJob(jobId: $id) { liveUrl(format: WAV) } }'
  const { voiceJob } = await graphql<{ voiceJob: { liveUrl: string } }>(query, { id: jobId })
  return { jobId, url: voiceJob.liveUrl, speakRest: rest.resolve }
}

const listen = async (url: string): Promise<IncomingMessage> => (await once(get(url), 'response'))[0] as IncomingMessage

async function storedSamples(jobId: string): Promise<Int16Array> {
  const { outputs } = await finishedJob(service.url, key, jobId)
  return parseWav((await call(outputs!.audio)).bytes).samples
}

/** A job whose first sentence has come, and that is still processing; `got` is all that has come. */
async function hearFirst() {
  const { jobId, url, speakRest } = await startLive()
  const response = await listen(url)
  const got: Buffer[] = []
  response.on('data', (piece: Buffer) => got.push(piece))
  await until(() => got.reduce((sum, { length }) => sum + length, 0) > 10_000, 60_000, 'the first sentence')
  expect((await readJob(service.url, key, jobId)).status).toBe('processing')
  return { jobId, speakRest, response, got }
}

describe('live audio out of a bucket', () => {
  test('leaves while its job is processing, and is the stored file in the end', async () => {
    const { jobId, speakRest, response, got } = await hearFirst()
    // This process has heard it before the bucket has it.
    const part = partKey(jobId, 1, 0)
    await until(async () => (await service.runtime.storage.stat(part)) !== null, 60_000, 'the part in the bucket')
    speakRest()
    await once(response, 'end')
    expect(samplesOf(Buffer.concat(got).subarray(44))).toEqual(await storedSamples(jobId))
  })

  test('comes out of the bucket alone where the worker is another process', async () => {
    const relay = vi.spyOn(service.runtime.speechRelay, 'publish').mockImplementation(() => undefined)
    try {
      const { jobId, speakRest, response, got } = await hearFirst()
      speakRest()
      await once(response, 'end')
      expect(relay).toHaveBeenCalled()
      expect(samplesOf(Buffer.concat(got).subarray(44))).toEqual(await storedSamples(jobId))
    } finally {
      relay.mockRestore()
    }
  })

  test('goes on with the parts of a FLAC job where the account has no place left to have a file decoded', async () => {
    const { jobId, url, speakRest } = await startLive('flac')
    const response = await listen(url)
    const got: Buffer[] = []
    response.on('data', (piece: Buffer) => got.push(piece))
    await until(() => got.reduce((sum, { length }) => sum + length, 0) > 10_000, 60_000, 'the first sentence')
    const { audio } = service.runtime
    const taken = await Promise.all(Array.from({ length: 4 }, () => audio.shares.decoded.acquire(account)))
    speakRest()
    await once(response, 'end')
    for (const release of taken) release()
    const { outputs } = await finishedJob(service.url, key, jobId)
    const { samples } = await audio.decode((await call(outputs!.audio)).bytes, 'flac')
    expect(samplesOf(Buffer.concat(got).subarray(44))).toEqual(samples)
  })

  test('of a job that fails before anything was heard is 404, as it is once it has failed', async () => {
    const { promise: until, resolve: refuse } = Promise.withResolvers<void>()
    server.answer(() => ({ until, status: 400, json: { detail: 'no' } }))
    const { submitVoiceJob } = await graphql<{ submitVoiceJob: { jobId: string } }>(SUBMIT, { text: TEXT })
    const query = 'query ($id: ID!) { voiceJob(jobId: $id) { liveUrl(format: WAV) } }'
    const { voiceJob } = await graphql<{ voiceJob: { liveUrl: string } }>(query, { id: submitVoiceJob.jobId })
    const heard = call(voiceJob.liveUrl)
    refuse()
    expect((await heard).status).toBe(404)
    await finishedJob(service.url, key, submitVoiceJob.jobId)
    for (const method of ['GET', 'HEAD']) expect((await call(voiceJob.liveUrl, { method })).status).toBe(404)
  })

  test('is taken byte by byte by one listener, and neither the job nor another listener waits for it', async () => {
    const { jobId, url, speakRest } = await startLive()
    const [slow, quick] = await Promise.all([listen(url), listen(url)])
    const got: Buffer[] = []
    const takeOne = async (): Promise<void> => {
      const byte = slow.read(1) as Buffer | null
      if (byte === null) await once(slow, 'readable')
      else got.push(byte)
    }
    for (let n = 0; n < 40; n++) await takeOne()
    speakRest()
    let heard = 0
    quick.on('data', ({ length }: Buffer) => (heard += length))
    await once(quick, 'end')
    const stored = await storedSamples(jobId)
    expect(heard).toBe(44 + stored.length * 2)
    for (let n = 0; n < 40; n++) await takeOne()
    for await (const piece of slow) got.push(piece as Buffer)
    expect(samplesOf(Buffer.concat(got).subarray(44))).toEqual(stored)
  })
})
