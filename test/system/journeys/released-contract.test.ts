import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { migrateAsBefore } from '../../setup/postgres/replaced-migrations.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses, startProcess } from '../../setup/processes/processes.ts'
import { unpackRelease } from '../../setup/processes/released.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const KEY = /snt_[0-9A-Za-z]{42}/
const TIMES = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g
const JOB = /job_[0-9a-z]{26}/g
/** Signed URLs and files, which differ at each request. */
const OWN = /"https?:\/\/[^"]*"/g

let database: TestDatabase
let today: TestRuntime
const doors = { released: { url: '', key: '' }, today: { url: '', key: '' } }
beforeAll(async () => {
  const [folder, dataDir, [port]] = await Promise.all([makeTempDir(), makeTempDir(), freePorts(1)])
  ;[database, today] = await Promise.all([createTestDatabase(), startTestRuntime({ worker: true })])
  await migrateAsBefore(database.url)
  const { main } = await unpackRelease(folder)
  const env = {
    ...{ DATABASE_URL: database.url, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error' },
    RATE_LIMIT_PER_MINUTE: '0',
  }
  const release = await startProcess([process.execPath, '--no-deprecation', main, 'start'], env, KEY)
  doors.released = { url: `http://127.0.0.1:${port}`, key: KEY.exec(release.stdout())![0] }
  doors.today = { url: today.url, key: (await today.createCaller()).key }
}, 120_000)
afterAll(async () => {
  await endProcesses()
  await Promise.all([today?.close(), database?.drop()])
  await cleanUp()
})

/** The same request at both. */
const both = async (path: string, options: object = {}) => {
  const [released, now] = await Promise.all(
    [doors.released, doors.today].map(({ url, key }) => call(url + path, { key, ...options })),
  )
  return [released!, now!] as const
}
const alike = (text: string) => text.replace(TIMES, '"TIME"').replace(JOB, 'JOB').replace(OWN, '"URL"')

describe('the published endpoint, by the last release and by this version', () => {
  test.each([
    '/api/v1/public/voice',
    '/api/v1/public/voice/tts',
    '/api/v1/voice/tts/schema',
    '/api/v1/voice/tts/voices',
  ])('%s has the same bytes', async (path) => {
    const [released, now] = await both(path)
    expect([now.status, now.text]).toEqual([200, released.text])
    expect(now.headers['content-type']).toBe(released.headers['content-type'])
    expect(now.headers.etag).toBe(released.headers.etag)
  })

  test.each<[string, object, number]>([
    ['a text', { inputs: { text: 'It stays as it is.', voice: 'aria' } }, 202],
    [
      'all inputs',
      { inputs: { text: 'It stays.', voice: 'aria', language: 'English', style_instruction: 'slow' } },
      202,
    ],
    ['an unknown voice', { inputs: { text: 'It stays.', voice: 'nobody' } }, 400],
    ['an unknown input', { inputs: { text: 'It stays.', voice: 'aria', audio_format: 'mp3' } }, 400],
    ['no text', { inputs: { voice: 'aria' } }, 400],
  ])('a submission of %s is answered with the same bytes, but for ids and times', async (_what, body, status) => {
    const [released, now] = await both('/api/v1/voice/tts', { method: 'POST', body })
    expect([now.status, alike(now.text)]).toEqual([status, alike(released.text)])
  })

  test('a poll of a completed job is answered with the same bytes, but for ids, times and URLs', async () => {
    const [released, now] = await Promise.all(
      Object.values(doors).map(async ({ url, key }) => {
        const body = { inputs: { text: 'The same.', voice: 'aria' } }
        const made = await call(`${url}/api/v1/voice/tts`, { method: 'POST', key, body })
        const { job_id: id } = made.json<{ job_id: string }>()
        await finishedJob(url, key, id)
        const poll = await call(`${url}/api/v1/voice/jobs/${id}`, { key })
        const { outputs } = poll.json<{ outputs: { audio: string } }>()
        return { text: alike(poll.text), type: (await call(outputs.audio)).headers['content-type'] }
      }),
    )
    expect(now).toEqual(released)
    expect(now!.text).toContain('"outputs":{"audio":"URL"}')
    expect(now!.type).toBe('audio/wav')
  })
})
