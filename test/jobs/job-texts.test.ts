import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorker, type Worker } from '../../src/worker/start-worker.ts'
import { call } from '../setup/http.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { applyWorkflow, submitPrompt } from '../setup/jobs/workflows.ts'
import { runHere } from '../setup/processes/command-here.ts'
import { ask, errorOf, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'

const TEXT = 'A secret of some characters.'
const SHOWN = `query ($id: ID!) {
  service { keepsTexts }
  job(id: $id) { ... on VoiceJob { textExcerpt characters captions words { text } voice language tags } }
  jobs(filter: { words: "secret" }) { totalCount }
  jobStats { characters }
}`

let service: TestRuntime
let worker: Worker
let account: string
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { JOB_TEXTS: 'off' } })
  await applyEndpoint(service.runtime, 'quick', { pool: 'quick' }, { captions: { formats: ['vtt'] } })
  worker = await startWorker(service.runtime, { pools: ['quick'], engines: standInEngines(() => undefined) })
  account = await service.createAccount()
  key = (await service.createKey(account, ['account:admin', 'job:read', 'generate:voice', 'generate:workflow'])).apiKey
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

const inputsOf = async (id: string) =>
  (await service.runtime.db.pool.query('select inputs from job where id = $1', [id])).rows[0].inputs

test('an ended job keeps the count of its characters, and no text anywhere', async () => {
  const id = await submitText(service.url, key, 'quick', TEXT)
  await allFinished(service.runtime, [id])
  expect(await inputsOf(id)).toEqual({ characters: TEXT.length })
  const shown = await read(service.url, key, SHOWN, { id })
  expect(shown).toEqual({
    service: { keepsTexts: false },
    job: {
      ...{ textExcerpt: null, characters: TEXT.length, captions: null, words: null },
      ...{ voice: expect.any(String), language: expect.any(String), tags: [] },
    },
    jobs: { totalCount: 0 },
    jobStats: [{ characters: TEXT.length }],
  })
  expect(Object.keys((await readJob(service.url, key, id)).outputs ?? {})).toEqual(['audio'])
  const captions = await call(`${service.url}/api/v1/voice/jobs/${id}/captions`, { key })
  expect([captions.status, captions.json<{ error_code: string }>().error_code]).toEqual([410, 'GONE'])
})

const RETRIED = mutation('retryJob(id: $id)', '... on RetryJobSuccess { jobId }', '($id: ID!)')

async function expectRefused(id: string): Promise<void> {
  expect(errorOf(await ask(service.url, key, RETRIED, { id }))).toMatchObject({
    code: 'INVALID_REQUEST',
    details: [{ path: '/id', message: 'has no inputs any more' }],
  })
  const shown = await read(service.url, key, `{ node(id: "${id}") { ... on Job { status isRetryable } } }`)
  expect(shown).toEqual({ node: { status: 'FAILED', isRetryable: false } })
}

test('a workflow job that has ended has lost its inputs, and is not retried', async () => {
  await applyWorkflow(service.runtime, 'sketch', { base_url: 'http://127.0.0.1:7' })
  const id = await submitPrompt(service.url, key, 'sketch', 'A fox.')
  await ask(service.url, key, mutation('cancelJob(id: $id)', '... on GenerationJob { id }', '($id: ID!)'), { id })
  expect(await inputsOf(id)).toBeNull()
  await expectRefused(id)
})

test('a cancelled job has lost its text as well, an unfinished one has it, and neither is retried', async () => {
  await applyEndpoint(service.runtime, 'waits', { pool: 'nobody' })
  const id = await submitText(service.url, key, 'waits', TEXT)
  expect(await inputsOf(id)).toMatchObject({ text: TEXT })
  expect(await read(service.url, key, '{ jobs(filter: { words: "secret" }) { totalCount } }')).toEqual({
    jobs: { totalCount: 1 },
  })
  await ask(service.url, key, mutation('cancelJob(id: $id)', '... on VoiceJob { id }', '($id: ID!)'), { id })
  expect(await inputsOf(id)).toEqual({ characters: TEXT.length })
  await expectRefused(id)
})

test('speech with times is answered by the text of its request', async () => {
  const reply = await call(`${service.url}/v1/audio/speech`, {
    method: 'POST',
    key,
    body: { model: 'quick', input: TEXT, timestamps: true, response_format: 'wav' },
  })
  expect(reply.status).toBe(200)
  expect(
    reply
      .json<{ words: { text: string }[] }>()
      .words.map(({ text }) => text)
      .join(' '),
  ).toContain('secret')
})

test('sonant say writes captions by the text that it was given', async () => {
  const file = (name: string) => join(service.dataDir, name)
  const args = ['say', TEXT, '--account', account, '--endpoint', 'quick', '-o', file('said.wav')]
  const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir, JOB_TEXTS: 'off' }
  const { code, stderr } = await runHere([...args, '--captions', file('said.vtt')], env)
  expect([code, stderr]).toEqual([0, ''])
  expect(await readFile(file('said.vtt'), 'utf8')).toMatch(/^WEBVTT\n[\s\S]*A secret of some characters\./)
})
