import { afterAll, beforeAll, expect, test } from 'vitest'
import { inParallel } from '../../src/concurrency/in-parallel.ts'
import { closeText, type OpenText, openText } from '../../src/voice/open-text/open-text.ts'
import { startWorker, type Worker } from '../../src/worker/start-worker.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 30_000
/** More than a process parks, with those that it takes before it knows how many wait. */
const MANY = 340

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

async function speaker() {
  const accountId = await service.createAccount()
  const ctx = { ...service.runtime, actor: { kind: 'account', accountId, credits: 1_000_000n } as const }
  const count = async (condition: string) => {
    const text = `select count(*)::integer as n from job where account_id = $1 and ${condition}`
    return (await service.runtime.db.pool.query<{ n: number }>(text, [accountId])).rows[0]!.n
  }
  return {
    open: () => openText(ctx, { slug: 'tts', inputs: { voice: 'clara' } }, ['Hello there. ']),
    close: (open: OpenText) => closeText(ctx, open),
    waiting: () => count(`status = 'queued'`),
    begun: () => count(`status = 'processing' and parts_done > 0`),
    ended: () => count(`status = 'completed'`),
  }
}

test('an account whose open texts fill a process leaves room for others', { timeout: 2 * TIMEOUT_MS }, async () => {
  const [greedy, other] = [await speaker(), await speaker()]
  const texts: OpenText[] = []
  await inParallel(Array.from({ length: MANY }), 20, async () => void texts.push(await greedy.open()))
  const isFull = async () => (await greedy.begun()) >= 300 && (await greedy.begun()) + (await greedy.waiting()) === MANY
  await until(isFull, TIMEOUT_MS, 'the process to be full')
  const waiting = await greedy.waiting()
  expect(waiting).toBeGreaterThan(0)
  for (let count = 0; count < 4; count++) await other.open()
  await until(async () => (await other.begun()) === 4, TIMEOUT_MS, "the other account's texts to begin")
  expect(await greedy.waiting()).toBe(waiting)
  const over = texts.slice(0, MANY - 300)
  for (const text of over) await greedy.close(text)
  await until(async () => (await greedy.waiting()) < waiting, TIMEOUT_MS, 'a text to begin for one that has ended')
})
