import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../src/api-keys/change-api-key.ts'
import { submitVoiceJob } from '../../src/voice/submit-voice-job.ts'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const MARKED = /^job_[0-9a-z]{14}ce110c[0-9a-z]{6}$/
const SCOPES = ['generate:voice', 'job:read', 'companion:chat']
const SUBMIT = `mutation {
  submitVoiceJob(slug: "plain", inputs: { text: "Two.", voice: "calm" }) { ... on VoiceJobSubmission { jobId } }
}`

type Submitted = { data: { submitVoiceJob: { jobId: string } } }

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { CELL: 'c' } })
  await applyEndpoint(service.runtime, 'plain')
})
afterAll(() => service?.close())

const post = (path: string, key: string, body: object) => call(service.url + path, { method: 'POST', key, body })

test('keys and ids of jobs carry the mark of the cell, through every door', async () => {
  const { apiKey: key } = await service.createKey(await service.createAccount(), SCOPES)
  expect(key).toMatch(/^snt_c_[0-9A-Za-z]{42}$/)
  const ids = [
    await submitText(service.url, key, 'plain', 'One.'),
    (await post('/graphql', key, { query: SUBMIT })).json<Submitted>().data.submitVoiceJob.jobId,
    (await post('/v1/audio/speech', key, { model: 'plain', voice: 'calm', input: 'Three.' })).headers[
      'x-sonant-job-id'
    ],
    (await post('/api/v1/companion/chat', key, { message: 'Four?' })).json<{ job_id: string }>().job_id,
  ]
  expect(ids).toEqual(ids.map(() => expect.stringMatching(MARKED)))
  const listed = (await call(`${service.url}/api/v1/jobs`, { key })).json<{ jobs: { job_id: string }[] }>()
  expect(listed.jobs.map(({ job_id }) => job_id)).toEqual(ids.toReversed())
})

test('signed URLs name the cell, and with another one they are refused', async () => {
  const { key } = await service.createCaller()
  const { outputs } = await finishedJob(service.url, key, await submitText(service.url, key, 'plain', 'Five.'))
  const url = new URL(outputs!.audio)
  expect(url.searchParams.get('cell')).toBe('c')
  expect((await call(url.href)).headers['content-type']).toBe('audio/wav')
  url.searchParams.set('cell', 'd')
  expect((await call(url.href)).status).toBe(403)
})

test('a key and a job from before the installation was a cell go on', async () => {
  const account = await service.createAccount()
  const settings = { ...service.runtime.settings, cell: null }
  const before = { ...service.runtime.as({ kind: 'system' }), settings }
  const { apiKey: key, apiKeyId } = await createApiKey(before, { account, name: 'old' })
  expect(key).toMatch(/^snt_[0-9A-Za-z]{42}$/)
  const actor = { kind: 'key', accountId: account, apiKeyId, scopes: SCOPES, credits: 1000n } as const
  const { jobId } = await submitVoiceJob(
    { ...service.runtime.as(actor), settings },
    { slug: 'plain', inputs: { text: 'Six.', voice: 'calm' } },
  )
  expect(jobId).not.toMatch(MARKED)
  const { status, outputs } = await finishedJob(service.url, key, jobId)
  expect([status, (await call(outputs!.audio)).status]).toEqual(['completed', 200])
})
