import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteAudio } from '../../../src/jobs/retention/delete-job.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { call, type Reply } from '../../setup/http.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type S3Server, startS3Server } from '../../setup/servers/s3-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'

const ONCE = { 'idempotency-key': 'said-once' }
const SPEECH = { model: 'quick', input: 'Said once.', voice: 'calm', response_format: 'mp3' }

interface Urls {
  readonly audioUrl: string
  readonly liveUrl: string
}

describe.each(['a directory', 'a bucket'])('audio that was deleted from %s', (store) => {
  let s3: S3Server
  let service: TestRuntime
  let worker: Worker
  let key: string
  let id: string
  let urls: Urls
  const openai = () => call(`${service.url}/v1/audio/speech`, { method: 'POST', key, headers: ONCE, body: SPEECH })

  beforeAll(async () => {
    s3 = await startS3Server()
    service = await startTestRuntime({ env: store === 'a bucket' ? s3.env : {} })
    const { runtime } = service
    await applyEndpoint(runtime, 'quick', { pool: 'quick' })
    worker = await startWorker(runtime, { pools: ['quick'], engines: standInEngines(() => undefined) })
    key = (await service.createCaller()).key
    id = await submitText(service.url, key, 'quick', 'Heard for a day.')
    await allFinished(runtime, [id])
    expect((await openai()).status).toBe(200)
    const { rows } = await runtime.db.pool.query<{ id: string }>('select id from job')
    await deleteAudio(
      runtime,
      rows.map((row) => row.id),
    )
    const query = `{ job(jobId: "${id}") { ... on VoiceJob { audioUrl(format: MP3) liveUrl } } }`
    const shown = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query } })
    urls = shown.json<{ data: { job: Urls } }>().data.job
  })
  afterAll(async () => {
    await worker.stop()
    await service.close()
    await s3.close()
  })

  const gone = (reply: Reply) =>
    expect([reply.status, reply.json<{ error_code: string }>().error_code]).toEqual([410, 'GONE'])

  test('is 410 at the URL of its output, which is the service’s own', async () => {
    const { outputs } = (await call(`${service.url}/api/v1/voice/jobs/${id}`, { key })).json<{
      outputs: { audio: string }
    }>()
    expect(new URL(outputs.audio).origin).toBe(service.url)
    gone(await call(outputs.audio))
    expect((await call(outputs.audio, { method: 'HEAD' })).status).toBe(410)
  })

  test('is 410 in every format', async () => {
    const path = `${service.url}/api/v1/voice/jobs/${id}/audio`
    for (const query of ['', '?format=wav', '?format=mp3', '?format=opus', '?format=flac'])
      gone(await call(path + query, { key }))
  })

  test('is 410 at the URLs that play it, live or not, to GET and to HEAD', async () => {
    for (const url of [urls.audioUrl, urls.liveUrl]) {
      gone(await call(url))
      expect((await call(url, { method: 'HEAD' })).status, url).toBe(410)
    }
  })

  test('is 410 to a client of OpenAI’s API that repeats its request, in its error’s shape', async () => {
    const reply = await openai()
    expect(reply.status).toBe(410)
    expect(reply.json()).toMatchObject({ error: { type: 'invalid_request_error', message: expect.any(String) } })
  })
})
