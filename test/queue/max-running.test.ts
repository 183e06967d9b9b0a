import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { updateApiKey } from '../../src/api-keys/change-api-key.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { copyWaiting } from '../setup/jobs/copy-waiting.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'
import { until } from '../setup/wait.ts'

const JOBS = 15
const SPEAKING_MS = 20
/** The poll of twice a second alone leaves more than 400. */
const SHORT_MS = 250
const BACKLOG = 1500
/** Polls alone would need 15 s. */
const SOON_MS = 5000

let service: TestRuntime
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  service = await startTestRuntime()
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})
afterAll(() => service?.close())

const work = async (during: (text: string) => Promise<void>) => {
  const worker = await startWorker(service.runtime, { engines: standInEngines(({ text }) => during(text)) })
  closers.push(() => worker.stop())
}
const limit = (apiKeyId: string, maxRunning: number) =>
  updateApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId, maxRunning })

test.each([
  ['slots', {}],
  ['a server', { max_in_flight: 4 }],
])('with a limit of 1 and %s free, a job begins as soon as another ends', async (_free, engine) => {
  const slug = `one-${Object.keys(engine).length}`
  await applyEndpoint(service.runtime, slug, { pool: slug, ...engine })
  const { key, keyId } = await service.createCaller()
  await limit(keyId, 1)
  await work(() => wait(SPEAKING_MS))
  const texts = Array.from({ length: JOBS }, (_, n) => `Short ${n}.`)
  const ids = await Promise.all(texts.map((text) => submitText(service.url, key, slug, text)))
  await allFinished(service.runtime, ids)
  const { rows } = await service.runtime.db.pool.query<{ gap: number }>(
    `select (1000 * extract(epoch from started_at - lag(completed_at) over (order by started_at)))::float as gap
     from job where id = any($1) order by gap`,
    [ids],
  )
  expect(rows[Math.floor(JOBS / 2)]!.gap).toBeLessThan(SHORT_MS)
})

test(`a job begins soon behind ${BACKLOG} of another key that got a limit`, async () => {
  const slug = 'behind'
  await applyEndpoint(service.runtime, slug, { pool: slug })
  const { key, keyId, account } = await service.createCaller()
  const { apiKey: other } = await service.createKey(account)
  await submitText(service.url, key, slug, 'Limited.')
  await copyWaiting(service.runtime.db, await submitText(service.url, key, slug, 'Limited.'), BACKLOG)
  await submitText(service.url, other, slug, 'Behind.')
  await limit(keyId, 1)
  const begun = new Set<string>()
  const end = Promise.withResolvers<void>()
  closers.push(async () => end.resolve())
  await work(async (text) => {
    begun.add(text)
    await end.promise
  })
  await until(() => begun.has('Limited.'), SOON_MS, 'the first job at the engine')
  await until(() => begun.has('Behind.'), SOON_MS, "the other key's job at the engine")
})
