import { globSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAbandonedFiles, sharedFolder } from '../../../src/jobs/lifecycle/produce.ts'
import { call } from '../../setup/http.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { humSeconds, type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const MOST_CHARACTERS = '60000'
const SLOTS = 2
const CHAPTERS = 5
const SENTENCE = 'The train leaves at half past nine, and nobody waits for those who are late. '
const CHAPTER = `${SENTENCE.repeat(10).trim()}\n\n`.repeat(12)
const TEXT = Array.from({ length: CHAPTERS }, (_, index) => `Chapter ${index + 1}\n\n${CHAPTER}`)
  .join('')
  .trim()
const QUERY = `query ($id: ID!) { voiceJob(jobId: $id) {
  chapters { title start end offset } captions(format: SRT) sentences { start } } }`

interface Answer {
  readonly voiceJob: {
    readonly chapters: readonly {
      readonly title: string
      readonly start: number
      readonly end: number
      readonly offset: number
    }[]
    readonly captions: string
    readonly sentences: readonly unknown[]
  }
}

let service: TestRuntime
let server: SpeechServer
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { MAX_TEXT_CHARACTERS: MOST_CHARACTERS } })
  server = await startSpeechServer()
  key = (await service.createCaller()).key
  const text = { type: 'string', maxLength: Number(MOST_CHARACTERS) }
  const properties = { text, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  const engine = { kind: 'openai-speech', base_url: server.url, model: 'm', max_in_flight: SLOTS, pool: 'books' }
  await applyEndpoint(service.runtime, 'books', engine, { inputs })
})
afterAll(async () => {
  await endProcesses()
  await service.close()
  await server.close()
})

const row = async (text: string, id: string) => (await service.runtime.db.pool.query(text, [id])).rows[0]
const progressOf = (id: string): Promise<{ done: number; total: number }> =>
  row('select coalesce(chunks_done, 0) as done, coalesce(chunks_total, 1000) as total from job where id = $1', id)
const keptOf = (id: string): string[] => globSync(`**/${sharedFolder(id)}/*`, { cwd: service.dataDir })

test('kill -9 of the worker at 60 %: the next one speaks only what is missing, and what is kept is deleted at the end', {
  timeout: 240_000,
}, async () => {
  const env = {
    DATABASE_URL: service.runtime.settings.databaseUrl ?? '',
    DATA_DIR: service.dataDir,
    LOG_LEVEL: 'error',
    MAX_TEXT_CHARACTERS: MOST_CHARACTERS,
  }
  server.answer(() => ({ delayMs: 10 }))
  const first = await startRole(['work', '--pools', 'books'], env)
  const id = await submitText(service.url, key, 'books', TEXT, 'calm')
  await until(
    async () => {
      const { done, total } = await progressOf(id)
      return done >= total * 0.6
    },
    90_000,
    '60 % of the chunks',
  )
  await first.stop('SIGKILL')
  await until(() => server.inFlight() === 0, 10_000, 'the server to be idle')
  const before = server.calls.length
  await service.runtime.db.pool.query('delete from worker')
  await startRole(['work', '--pools', 'books'], env)
  await allFinished(service.runtime, [id])
  const { status, outputs } = await readJob(service.url, key, id)
  const { total } = await progressOf(id)
  expect(status).toBe('completed')
  const texts = server.calls.map(({ body }) => String(body.input))
  expect(before).toBeLessThan(texts.length)
  // The dead worker was speaking or storing these.
  expect(texts.length - total).toBeLessThanOrEqual(SLOTS)

  const { bytes } = await call(outputs!.audio)
  const seconds = (bytes.length - 44) / 2 / 24_000
  expect(seconds).toBeGreaterThan(texts.slice(0, total).reduce((sum, text) => sum + humSeconds(text), 0) * 0.9)
  const { voiceJob } = await read<Answer>(service.url, key, QUERY, { id })
  expect(voiceJob.chapters.map(({ title }) => title)).toEqual(
    ['1', '2', '3', '4', '5'].map((number) => `Chapter ${number}`),
  )
  expect(voiceJob.chapters.map(({ offset }) => TEXT.slice(offset, offset + 7))).toEqual(
    new Array(CHAPTERS).fill('Chapter'),
  )
  expect(voiceJob.chapters.at(-1)!.end).toBeCloseTo(seconds, 1)
  expect(voiceJob.sentences.length).toBe(CHAPTERS * (12 * 10 + 1))
  expect(voiceJob.captions.trim().endsWith('late.')).toBe(true)

  expect(keptOf(id).length).toBe(total)
  await deleteAbandonedFiles(service.runtime, 0)
  expect(keptOf(id)).toEqual([])
  expect((await call(outputs!.audio)).bytes.equals(bytes)).toBe(true)
})
