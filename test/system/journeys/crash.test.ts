import { afterAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call } from '../../setup/http.ts'
import { finishedJob, type VoiceJob } from '../../setup/jobs/fixtures.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, processesOf, type Service, startService } from '../../setup/processes/process.ts'
import { readWav } from '../../setup/speech/wav.ts'
import { until } from '../../setup/wait.ts'

const LONG_JOBS = 3
const SHORT_JOBS = 12
/** Long enough that most of them are unfinished when the process is killed at once. */
const LATE_JOBS = 4
const RECOVERY_MS = 90_000
const DEMO_CREDITS = 1_000_000

const ALL_EARLY = LONG_JOBS + SHORT_JOBS

/** Every length is different, so that a job charged twice cannot hide another that was not charged. */
const textOf = (index: number): string =>
  'word '.repeat(1_000).slice(0, index < LONG_JOBS ? 1_200 + index * 101 : (index < ALL_EARLY ? 20 : 4_000) + index)

const submit = async (service: Service, key: string, text: string): Promise<string> => {
  const voices = await call(`${service.url}/api/v1/voice/tts/voices`, { key })
  const voice = voices.json<{ voices: { slug: string }[] }>().voices[0]!.slug
  const body = { inputs: { text, voice } }
  const reply = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body })
  expect(reply.status).toBe(202)
  return reply.json<{ job_id: string }>().job_id
}

const statuses = async (service: Service, key: string, ids: string[]) =>
  Promise.all(
    ids.map(async (id) => (await call(`${service.url}/api/v1/voice/jobs/${id}`, { key })).json<VoiceJob>().status),
  )

const demoCredits = async (service: Service) =>
  (await sonantHere<{ credits: number }>(service.env, 'accounts', 'show', '--account', 'demo')).credits

describe('a crash', { timeout: RECOVERY_MS + 60_000 }, () => {
  afterAll(cleanUp)

  test('after kill -9 with queued and running jobs, every accepted job ends completed and is charged once', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '0' }
    const first = await startService({ env })
    const { key, dataDir, port } = first
    const texts = Array.from({ length: ALL_EARLY + LATE_JOBS }, (_, index) => textOf(index))
    expect(new Set(texts.map((text) => text.length)).size).toBe(texts.length)
    const submitAll = (some: string[]) => Promise.all(some.map((text) => submit(first, key, text)))
    const ids = await submitAll(texts.slice(0, ALL_EARLY))
    await until(async () => (await statuses(first, key, ids)).includes('processing'), 60_000, 'a running job')
    ids.push(...(await submitAll(texts.slice(ALL_EARLY))))
    await first.kill9()
    const killed = Date.now()

    const second = await startService({ env, dataDir, port })
    const jobs = await Promise.all(ids.map((id) => finishedJob(second.url, key, id, RECOVERY_MS)))
    expect(new Set(jobs.map((job) => job.status))).toEqual(new Set(['completed']))
    expect(jobs.filter((job) => Date.parse(job.completed_at!) > killed).length).toBeGreaterThan(2)
    const audio = await Promise.all(jobs.map((job) => call(job.outputs!.audio)))
    for (const { bytes } of audio) expect(readWav(bytes)).toMatchObject({ whole: true, channels: 1 })
    const cost = texts.reduce((sum, text) => sum + text.length, 0)
    expect(await demoCredits(second)).toBe(DEMO_CREDITS - cost)
    const auditor = await openRuntime(readSettings({ DATA_DIR: dataDir }), openLog('silent'), { supervise: false })
    const evidence = {
      door: { url: second.url, key },
      logs: [first.stderr(), second.stderr()],
      secrets: [key, ...texts],
    }
    expect(await audit(auditor, ids, evidence)).toEqual([])
    await auditor.close()
    expect(await second.stop()).toBe(0)
    await until(() => processesOf(dataDir).length === 0, RECOVERY_MS, 'PostgreSQL to end')
  })
})
