import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loadRows } from '../../src/catalog/catalog-cache.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../setup/jobs/workflows.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const WITH_ALL = {
  required_scope: 'generate:voice',
  response_fields: ['completed_at'],
  audio: { formats: ['mp3', 'wav'] },
  captions: { formats: ['vtt'] },
  openai: { models: ['tts-1'], voices: { alloy: 'v10' } },
  library_voices: true,
  markup: 'markdown',
  code: 'skip',
  loudness: 'as_is',
}
/** Their order is neither that of their slugs nor of their names. */
const VOICES = Array.from({ length: 12 }, (_, n) => ({
  ...{ slug: `v${12 - n}`, name: `"${n}" \\ 你好 🎙`, description: '', kind: 'preset', engine_voice: 'en-us' },
  ...(n % 2 === 0 && { language: 'German' }),
}))

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
  const { runtime } = service
  await applyEndpoint(runtime, 'small')
  const engine = {
    kind: 'openai-speech',
    base_url: 'http://127.0.0.1:9',
    model: 'm',
    profile: 'vllm-omni',
    pool: 'own',
  }
  await applyEndpoint(runtime, 'all', engine, { ...WITH_ALL, voices: VOICES })
  await applyEndpoint(runtime, 'hidden', {}, { published: false, description: null })
  await applyWorkflow(runtime, 'second')
  await applyWorkflow(runtime, 'first', { max_in_flight: 3 }, { description: 'A workflow.', credits_per_job: 7 })
})
afterAll(() => service.close())

test('are what is stored of endpoints, their voices and workflows, in their orders, without recordings', async () => {
  const { db } = service.runtime
  const stored = await db.prisma.voiceEndpoint.findMany({
    orderBy: { slug: 'asc' },
    include: {
      voices: { orderBy: { position: 'asc' }, omit: { referenceAudio: true, endpointSlug: true, position: true } },
    },
  })
  const workflows = await db.prisma.workflow.findMany({ orderBy: { slug: 'asc' }, omit: { updatedAt: true } })
  const rows = await loadRows(db)
  expect(rows).toEqual({ endpoints: stored, workflows })
  expect(rows.endpoints.map(({ slug }) => slug)).toEqual(['all', 'hidden', 'small', 'tts'])
  expect(rows.endpoints[0]).toMatchObject({ voices: VOICES.map(({ slug }) => ({ slug })), updatedAt: expect.any(Date) })
  // Bodies are tagged as they are: the order of keys is part of them.
  expect(JSON.stringify(rows.endpoints.map(({ inputs, engine }) => [inputs, engine]))).toBe(
    JSON.stringify(stored.map(({ inputs, engine }) => [inputs, engine])),
  )
})

test('are read in one statement, which no change comes between', async () => {
  const query = vi.fn<(text: string) => Promise<unknown>>((text) => service.runtime.db.pool.query(text))
  const pool = Object.assign(Object.create(service.runtime.db.pool), { query })
  await loadRows({ pool })
  expect(query).toHaveBeenCalledTimes(1)
})
