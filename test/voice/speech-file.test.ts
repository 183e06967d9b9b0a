import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const SENTENCE = 'The train leaves at half past nine, and nobody waits for those who are late. '
const bookOf = (sentences: number) =>
  `# A *Book*\n\nBefore it begins.\n\n## First &amp; foremost\n\n${SENTENCE.repeat(sentences)}\n\n## Zweites Kapitel\n\n${SENTENCE}`

interface Chapter {
  readonly title: string
  readonly start: number
  readonly end: number
}

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  key = (await service.createCaller()).key
  const properties = { text: { type: 'string' }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  await applyEndpoint(service.runtime, 'books', {}, { inputs, markup: 'markdown', audio: { formats: ['m4b'] } })
})
afterAll(() => service.close())

/** The chapters that a player finds; null where there is no ffprobe. */
function chaptersIn(file: Uint8Array): Chapter[] | null {
  const { stdout, status } = spawnSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_chapters', '-'], {
    input: file,
  })
  if (status !== 0) return null
  const { chapters } = JSON.parse(String(stdout)) as {
    chapters: { start_time: string; end_time: string; tags: { title: string } }[]
  }
  return chapters.map((one) => ({
    title: one.tags.title,
    start: Number(one.start_time),
    end: Number(one.end_time),
  }))
}

test.each([
  ['a short text', 3],
  ['a long text', 80],
])('%s as m4b has the chapters that GraphQL tells', { timeout: 60_000 }, async (_, sentences) => {
  const id = await submitText(service.url, key, 'books', bookOf(sentences))
  const { status, outputs } = await finishedJob(service.url, key, id)
  expect(status).toBe('completed')
  const file = await call(outputs!.audio)
  expect([file.headers['content-type'], file.bytes.subarray(4, 8).toString()]).toEqual(['audio/mp4', 'ftyp'])
  const query = 'query ($id: ID!) { voiceJob(jobId: $id) { chapters { title start end } artifacts { durationMs } } }'
  const { voiceJob } = await read<{
    voiceJob: { chapters: Chapter[]; artifacts: { durationMs: number }[] }
  }>(service.url, key, query, { id })
  const { chapters, artifacts } = voiceJob
  expect(chapters.map(({ title }) => title)).toEqual(['A Book', 'First & foremost', 'Zweites Kapitel'])
  expect(chapters[0]!.start).toBe(0)
  expect(chapters.slice(1).map(({ start }) => start)).toEqual(chapters.slice(0, -1).map(({ end }) => end))
  expect(chapters.at(-1)!.end).toBe(artifacts[0]!.durationMs / 1000)
  expect(chaptersIn(file.bytes) ?? chapters).toEqual(
    chapters.map(({ title, start, end }) => ({ title, start: expect.closeTo(start, 2), end: expect.closeTo(end, 2) })),
  )
})
