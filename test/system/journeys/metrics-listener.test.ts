import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, freePorts } from '../../setup/http.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { scrape } from '../../setup/service/scraped.ts'

const ENDPOINT = 'spoken'
const READY = { status: 'ok', database: 'ok', bus: 'ok', catalog: 'ok', process: 'ok', storage: 'ok', engines: 'ok' }

let service: TestRuntime
let speech: SpeechServer
let key: string
beforeAll(async () => {
  ;[service, speech] = await Promise.all([startTestRuntime({ env: { LOG_LEVEL: 'silent' } }), startSpeechServer()])
  await applyEndpoint(service.runtime, ENDPOINT, { base_url: speech.url, max_in_flight: 1 })
  key = (await service.createCaller()).key
})
afterAll(async () => {
  await endProcesses()
  await service?.close()
  await speech?.close()
})

/** A process with METRICS_PORT, and what it answers there. */
async function startMeasured(role: string) {
  const [port, metricsPort] = await freePorts(2)
  const watched = `http://127.0.0.1:${metricsPort}`
  const process = await startRole([role], {
    DATABASE_URL: service.runtime.settings.databaseUrl ?? '',
    DATA_DIR: service.dataDir,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'info',
  })
  const answer = async (path: string) => {
    const reply = await call(watched + path)
    return [reply.status, reply.json<object>()]
  }
  const roles = async () => (await scrape(watched)).samples('build_info').map(({ labels }) => labels.role)
  return { process, watched, roles, live: () => answer('/health/live'), ready: () => answer('/health/ready') }
}

describe('a process with METRICS_PORT', () => {
  test.for([
    ['start', { ...READY, worker: 'ok' }],
    ['serve', READY],
    ['work', { ...READY, worker: 'ok' }],
  ] as const)(
    'that runs "sonant %s" says there what it is, that it lives, and when it is ready',
    async ([role, all]) => {
      const { process, watched, roles, live, ready } = await startMeasured(role)
      expect(await live()).toEqual([200, { status: 'ok' }])
      await expect.poll(ready).toEqual([200, all])
      expect(await roles()).toEqual([role])
      expect(process.stderr()).toContain(`"url":"${watched}/metrics"`)
      expect(await process.stop()).toBe(0)
      await expect(live()).rejects.toThrow('ECONNREFUSED')
    },
  )

  test('is not ready from SIGTERM until its last job has ended, and is measured for so long', async () => {
    const gate = Promise.withResolvers<void>()
    speech.answer(() => ({ until: gate.promise }))
    const { process, roles, live, ready } = await startMeasured('work')
    await expect.poll(ready).toEqual([200, { ...READY, worker: 'ok' }])
    const id = await submitText(service.url, key, ENDPOINT, 'It is held back.')
    await expect.poll(speech.inFlight).toBe(1)
    const stopped = process.stop()
    const draining = { ...READY, status: 'unready', process: 'draining', worker: 'ok' }
    await expect.poll(ready).toMatchObject([503, draining])
    expect([await live(), await roles(), speech.inFlight()]).toEqual([[200, { status: 'ok' }], ['work'], 1])
    gate.resolve()
    expect(await stopped).toBe(0)
    await allFinished(service.runtime, [id])
    expect((await readJob(service.url, key, id)).status).toBe('completed')
  })
})
