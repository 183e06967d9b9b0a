import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteHeardParts, partKey } from '../../../src/jobs/live-parts.ts'
import { call } from '../../setup/http.ts'
import { allFinished, applyEndpoint, readJob } from '../../setup/jobs/voice-jobs.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const SENTENCE = 'The train leaves at half past nine, and nobody waits for those who are late. '
const SAME = `This one is spoken again as it was, whatever happens to its worker. ${SENTENCE.repeat(8)}`
const OTHER = `This one is spoken louder by the next worker, and is another one then. ${SENTENCE.repeat(8)}`
const SUBMIT = `mutation ($text: String!) { submitVoiceJob(slug: "live", inputs: {text: $text, voice: "calm"}, live: true) {
  ... on VoiceJobSubmission { jobId } } }`

let service: TestRuntime
let server: SpeechServer
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  server = await startSpeechServer()
  key = (await service.createCaller()).key
  const properties = { text: { type: 'string' }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  // The parts that hang leave room for the opening of the other text.
  const engine = { kind: 'openai-speech', base_url: server.url, model: 'm', max_in_flight: 10, pool: 'live' }
  await applyEndpoint(service.runtime, 'live', engine, { inputs })
})
afterAll(async () => {
  await endProcesses()
  await service.close()
  await server.close()
})

/** Reads a live URL bit by bit, as a player does. */
function listen(url: string) {
  const heard = { bytes: Buffer.alloc(0), end: null as 'clean' | 'broken' | null }
  const hear = async () => {
    const response = await fetch(url)
    for await (const piece of response.body!) heard.bytes = Buffer.concat([heard.bytes, piece])
  }
  const done = hear().then(
    () => {
      heard.end = 'clean'
    },
    () => {
      heard.end = 'broken'
    },
  )
  return { heard, done }
}

test('kill -9 of the worker in the middle: the same samples go on, and others are a broken transfer', {
  timeout: 240_000,
}, async () => {
  const env = {
    DATABASE_URL: service.runtime.settings.databaseUrl ?? '',
    DATA_DIR: service.dataDir,
    LOG_LEVEL: 'error',
  }
  let peak = 4000
  let isHeld = true
  // The openings are spoken, the rest is not before the first worker is gone.
  server.answer(({ body }) => {
    const text = String(body.input)
    const isOther = text.startsWith('This one is spoken louder')
    if (text.startsWith('This one')) return isOther ? { peak } : {}
    return isHeld ? { hang: true } : {}
  })
  const first = await startRole(['work', '--pools', 'live'], env)
  const submit = async (text: string) => {
    const { submitVoiceJob: made } = await read<{ submitVoiceJob: { jobId: string } }>(service.url, key, SUBMIT, {
      text,
    })
    return { id: made.jobId, ...listen(await liveUrlOf(made.jobId)) }
  }
  const [same, other] = [await submit(SAME), await submit(OTHER)]
  await until(() => same.heard.bytes.length > 44 && other.heard.bytes.length > 44, 60_000, 'both to be heard')
  expect((await readJob(service.url, key, same.id)).status).toBe('processing')
  await first.stop('SIGKILL')
  // The next one would wait until the dead one's share of the server is free.
  await service.runtime.db.pool.query('delete from worker')
  isHeld = false
  peak = 9000
  await startRole(['work', '--pools', 'live'], env)
  await allFinished(service.runtime, [same.id, other.id])
  await Promise.all([same.done, other.done])
  expect([same.heard.end, other.heard.end]).toEqual(['clean', 'broken'])
  const file = await call((await readJob(service.url, key, same.id)).outputs!.audio)
  expect(same.heard.bytes.subarray(44).equals(file.bytes.subarray(44))).toBe(true)
  const late = listen(await liveUrlOf(other.id))
  await late.done
  expect(late.heard.end).toBe('clean')

  // The worker deletes early parts once nobody needs them, and the whole file stays.
  const part = partKey(same.id, 2, 0)
  expect(await service.runtime.storage.stat(part)).not.toBeNull()
  expect(await deleteHeardParts(service.runtime, 0)).toBe(2)
  expect(await service.runtime.storage.stat(part)).toBeNull()
  expect((await call((await readJob(service.url, key, same.id)).outputs!.audio)).bytes.equals(file.bytes)).toBe(true)
})

const liveUrlOf = async (id: string): Promise<string> => {
  const query = 'query ($id: ID!) { voiceJob(jobId: $id) { liveUrl(format: WAV) } }'
  return (await read<{ voiceJob: { liveUrl: string } }>(service.url, key, query, { id })).voiceJob.liveUrl
}
