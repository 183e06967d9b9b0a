import { queryObjects } from 'node:v8'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeText, openText } from '../../../src/voice/open-text/open-text.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { allFinished } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const TEXTS = 40

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

test('a job leaves none of its signals behind, however long it might have taken', async () => {
  const accountId = await service.createAccount()
  const ctx = { ...service.runtime, actor: { kind: 'account', accountId, credits: 1_000_000n } as const }
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
