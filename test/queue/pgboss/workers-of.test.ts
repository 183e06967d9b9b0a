import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'

const POOL = 'held'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent', SHUTDOWN_SECONDS: '1' } })
  await applyEndpoint(service.runtime, POOL, { pool: POOL })
})
afterAll(() => service?.close())

test('operators see which worker has a job while it runs, and which worker released it', async () => {
  const { apiKey: operator } = await service.createKey(await service.createAccount(), ['operator'])
  const { key } = await service.createCaller()
  const begun = Promise.withResolvers<void>()
  const hangs = standInEngines(() => {
    begun.resolve()
    return new Promise(() => undefined)
  })
  const worker = await startWorker(service.runtime, { pools: [POOL], engines: hangs })
  const id = await submitText(service.url, key, POOL, 'Held.')
  await begun.promise
  const attempts = async () => {
    const document = 'query ($id: ID!) { node(id: $id) { ... on Job { attemptHistory { number outcome worker } } } }'
    const { node } = await read<{ node: { attemptHistory: object[] } }>(service.url, operator, document, { id })
    return node.attemptHistory
  }
  const { workerId } = service.runtime
  expect(await attempts()).toEqual([{ number: 1, outcome: null, worker: workerId }])
  await worker.stop()
  expect(await attempts()).toEqual([{ number: 1, outcome: 'RELEASED', worker: workerId }])
  const heir = await startWorker(service.runtime, { pools: [POOL], engines: standInEngines(() => undefined) })
  await allFinished(service.runtime, [id])
  await heir.stop()
  expect(await attempts()).toEqual([
    { number: 1, outcome: 'RELEASED', worker: workerId },
    { number: 2, outcome: 'COMPLETED', worker: workerId },
  ])
})
