import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteHeardParts, partKey } from '../../src/jobs/live-parts.ts'
import { listenToJob } from '../../src/voice/listen-to-job.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const OPENING = 'This is the sentence that is heard before all others are.'
const TEXT = `${OPENING} ${'And this is one of those that come later on, one after the other.\n\n'.repeat(24)}`
const SUBMIT = `mutation ($text: String!) { submitVoiceJob(slug: "lossy", inputs: { text: $text, voice: "calm" }, live: true) {
  ... on VoiceJobSubmission { jobId } } }`

let server: SpeechServer
let service: TestRuntime
beforeAll(async () => {
  server = await startSpeechServer()
  service = await startTestRuntime({ worker: true })
  const properties = { text: { type: 'string' }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  const engine = { base_url: server.url, max_in_flight: 2, retry_seconds: 1 }
  await applyEndpoint(service.runtime, 'lossy', engine, { inputs, audio: { formats: ['mp3'] } })
})
afterAll(async () => {
  await service?.close()
  await server?.close()
})

test('a listener of a job with a lossy file hears the parts to their end, however long that takes', async () => {
  const rest = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith(OPENING) ? {} : { until: rest.promise }))
  const { key, account } = await service.createCaller()
  const { submitVoiceJob } = await read<{ submitVoiceJob: { jobId: string } }>(service.url, key, SUBMIT, { text: TEXT })
  const { jobId } = submitVoiceJob
  const ctx = { ...service.runtime, actor: { kind: 'account', accountId: account, credits: 0n } as const }
  const { blocks, close } = await listenToJob(ctx, { jobId, signal: new AbortController().signal })
  const iterator = blocks[Symbol.asyncIterator]()
  let count = 0
  const take = async () => {
    const { done } = await iterator.next()
    if (done !== true) count++
    return done !== true
  }
  await take()
  rest.resolve()
  await finishedJob(service.url, key, jobId)
  const { pool } = service.runtime.db
  const passTime = async () => {
    await pool.query("update heard_attempt set completed_at = completed_at - interval '9 minutes'")
    await deleteHeardParts(service.runtime)
  }
  while (await take()) await passTime()
  expect(count).toBeGreaterThan(4)
  expect(await service.runtime.storage.stat(partKey(jobId, 1, 0))).not.toBeNull()
  await passTime()
  await passTime()
  expect(await service.runtime.storage.stat(partKey(jobId, 1, 0))).toBeNull()
  close?.()
})
