import { queryObjects } from 'node:v8'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { closeText, type OpenText, openText } from '../../../src/voice/open-text/open-text.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { allFinished } from '../../setup/jobs/voice-jobs.ts'
import { heapInUse } from '../../setup/load/heap-growth.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const TEXTS = 40
const MOST_BYTES = 480_000

/** About 30 s of speech at 8 kHz. */
const LONG = `${'And so on and on. '.repeat(24)} `

let service: TestRuntime
let worker: Worker
beforeAll(async () => {
  service = await startTestRuntime()
  worker = await startWorker(service.runtime, { engines: standInEngines(() => undefined) })
})
afterAll(async () => {
  await worker?.stop()
  await service?.close()
})

const signals = (): number => queryObjects(AbortSignal, { format: 'count' }) as unknown as number

async function speaker() {
  const accountId = await service.createAccount()
  return { ...service.runtime, actor: { kind: 'account', accountId, credits: 1_000_000n } as const }
}

const bytes = (): number => {
  heapInUse()
  return process.memoryUsage().arrayBuffers
}

test('a job leaves none of its signals behind, however long it might have taken', async () => {
  const ctx = await speaker()
  const speak = async () => {
    const ids: string[] = []
    for (let count = 0; count < TEXTS; count++) {
      const open = await openText(ctx, { slug: 'tts', inputs: { voice: 'clara' } }, ['Hello there. '])
      await closeText(ctx, open)
      ids.push(open.jobId)
    }
    await allFinished(service.runtime, ids)
  }
  await speak()
  const before = signals()
  await speak()
  await until(() => signals() - before < TEXTS, 20_000, 'the signals to be free')
  expect(signals() - before).toBeLessThan(TEXTS)
})

test('a text that waits for more keeps no sound in memory, and its recording is whole', async () => {
  const ctx = await speaker()
  const before = bytes()
  const opened: OpenText[] = []
  for (let count = 0; count < TEXTS; count++)
    opened.push(await openText(ctx, { slug: 'tts', inputs: { voice: 'clara' } }, [LONG]))
  const ids = opened.map(({ jobId }) => jobId)
  const query = async (text: string) => (await ctx.db.pool.query(text, [ids])).rows as { n: number }[]
  const spoken = async () => query('select coalesce(parts_done, 0) as n from job where id = any($1)')
  await until(async () => (await spoken()).every(({ n }) => n > 1), 60_000, 'the texts to be spoken')
  await until(() => bytes() - before < (TEXTS * MOST_BYTES) / 4, 20_000, 'the memory to be free')
  for (const open of opened) await closeText(ctx, open)
  await allFinished(service.runtime, ids)
  const lengths = await query('select duration_ms as n from artifact where job_id = any($1)')
  expect(lengths).toHaveLength(TEXTS)
  for (const { n } of lengths) expect(n).toBeGreaterThan(20_000)
})

test('a text is recorded although none of its parts could be stored', async () => {
  const ctx = await speaker()
  const { storage } = service.runtime
  const put = storage.put.bind(storage)
  const refusing = vi.spyOn(storage, 'put').mockImplementation((key, ...rest) => {
    if (/\/live\/\d+\./.test(key)) throw new Error('the store is full')
    return put(key, ...rest)
  })
  try {
    const open = await openText(ctx, { slug: 'tts', inputs: { voice: 'clara' } }, [LONG])
    await closeText(ctx, open)
    await allFinished(service.runtime, [open.jobId])
    expect(refusing.mock.results.some(({ type }) => type === 'throw')).toBe(true)
    const text = 'select duration_ms as ms from artifact where job_id = $1'
    const { rows } = await ctx.db.pool.query<{ ms: number }>(text, [open.jobId])
    expect(rows[0]?.ms).toBeGreaterThan(20_000)
  } finally {
    refusing.mockRestore()
  }
})
