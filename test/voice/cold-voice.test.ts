import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorker, type Worker } from '../../src/worker/start-worker.ts'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { cleanUp, makeTempDir, run } from '../setup/processes/process.ts'
import { read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openEventClient } from '../setup/service/subscriber.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const JOBS = '{ jobs(first: 1) { edges { node { id status ... on VoiceJob { isVoiceLoading } } } } }'

interface Jobs {
  readonly jobs: {
    readonly edges: readonly { node: { id: string; status: string; isVoiceLoading: boolean } }[]
  }
}

let service: TestRuntime
let worker: Worker
/** The model is loaded once it resolves. */
const loaded = Promise.withResolvers<void>()
let isLoaded = false
beforeAll(async () => {
  service = await startTestRuntime({ env: { OPENAI_WAIT_SECONDS: '2' } })
  const engines = standInEngines(async ({ onLoading }) => {
    if (isLoaded) return
    onLoading?.(true)
    await loaded.promise
    onLoading?.(false)
  })
  worker = await startWorker(service.runtime, { engines })
  await applyEndpoint(service.runtime, 'cold')
})
afterAll(async () => {
  await worker?.stop()
  await service?.close()
  await cleanUp()
})

test(
  'a caller learns that the voice is being loaded, and one who comes back hears it',
  async () => {
    const { account, key } = await service.createCaller()
    const body = { model: 'cold', voice: 'calm', input: 'hello' }
    const refused = await call(`${service.url}/v1/audio/speech`, { method: 'POST', key, body })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
    expect(refused.json()).toMatchObject({ error: { message: 'Try again in a moment: the voice is being loaded.' } })

    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const output = join(await makeTempDir(), 'hello.wav')
    const said = run(['say', 'hello', '--endpoint', 'cold', '--account', account, '-o', output], env)
    const newest = async () => (await read<Jobs>(service.url, key, JOBS)).jobs.edges[0]?.node
    const loading = async () => [await newest()].find((job) => job?.isVoiceLoading)
    const { id } = await until(loading, TIMEOUT_MS, 'the job to say that its voice is being loaded')
    const client = openEventClient(service.url, key)
    const changes = client.subscribe<{ jobUpdated: { status: string; isVoiceLoading: boolean } }>(
      'subscription ($id: ID!) { jobUpdated(id: $id) { status ... on VoiceJob { isVoiceLoading } } }',
      { id },
    )
    await changes.waitFor(({ jobUpdated }) => jobUpdated.isVoiceLoading)

    isLoaded = true
    loaded.resolve()
    const { code, stderr } = await said
    expect([code, stderr]).toEqual([0, 'The voice is being loaded.\n'])
    await changes.waitFor(({ jobUpdated }) => jobUpdated.status === 'COMPLETED')
    expect(changes.data.at(-1)?.jobUpdated.isVoiceLoading).toBe(false)
    client.dispose()
    const heard = await call(`${service.url}/v1/audio/speech`, { method: 'POST', key, body })
    expect(heard.status).toBe(200)
  },
  TIMEOUT_MS,
)
