import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { creditsOf, makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses, type Process, startRole } from '../../setup/processes/processes.ts'
import { type S3Server, startS3Server } from '../../setup/servers/s3-server.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { readWav } from '../../setup/speech/wav.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const JOBS = 12
const AT_SERVER = 8
const POOLS = [
  ['espeak', 'gpu'],
  ['espeak', 'gpu'],
]
const WORKERS = '{ workers { id pools inFlight } }'

describe('an API and two workers on machines of their own', { timeout: 240_000 }, () => {
  const open: { database?: TestDatabase; s3?: S3Server; speech?: SpeechServer; auditor?: Runtime } = {}
  afterAll(async () => {
    await endProcesses()
    await open.auditor?.close()
    await open.speech?.close()
    await open.s3?.close()
    await open.database?.drop()
    await cleanUp()
  })

  test('share one database and one bucket and nothing else, and either does all of the work when the other dies', async () => {
    const database = await createTestDatabase('opened')
    const s3 = await startS3Server()
    Object.assign(open, { database, s3 })
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const machine = async () => ({
      DATABASE_URL: database.url,
      DATA_DIR: join(await makeTempDir(), 'data'),
      SECRET_KEY: 'one secret for all machines, 32 letters',
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
      ...s3.env,
    })
    const environments = [await machine(), await machine(), await machine()] as const
    const api = await startRole(['serve'], environments[0])
    // Without --pools a worker serves whatever pool there is: also the other one's.
    const workers: Process[] = [await startRole(['work', '--pools', 'espeak,gpu'], environments[1])]
    workers.push(await startRole(['work'], environments[2]))
    await makeAccount(environments[0], 'reader', 100_000)
    const { apiKey: key } = await makeKey(environments[0], 'reader')
    const { apiKey: operator } = await makeKey(environments[0], 'reader', ['operator'])

    const listed = async () => {
      const reply = await call(`${url}/graphql`, { method: 'POST', key: operator, body: { query: WORKERS } })
      return reply.json<{ data: { workers: { id: string; pools: string[] }[] } }>().data.workers
    }
    await until(async () => (await listed()).length === 2, TIMEOUT_MS, 'both workers on the list')
    expect((await listed()).map(({ pools }) => pools)).toEqual(POOLS)

    const texts = Array.from({ length: JOBS }, (_, index) => `Sentence number ${index}, spoken far away.`)
    const voice = (await call(`${url}/api/v1/public/voice/tts`)).json<{ voices: { slug: string }[] }>().voices[0]!.slug
    const ids = await Promise.all(texts.map((text) => submitText(url, key, 'tts', text, voice)))
    const jobs = await Promise.all(ids.map((id) => finishedJob(url, key, id, TIMEOUT_MS)))
    expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(['completed']))
    const bucket = new URL(new URL(s3.storageUrl).searchParams.get('endpoint')!)
    for (const { outputs } of jobs) {
      const audio = new URL(outputs!.audio)
      expect(audio.host).toBe(bucket.host)
      const heard = await call(audio.href)
      expect([heard.status, heard.headers['content-type']]).toEqual([200, 'audio/wav'])
      expect(readWav(heard.bytes)).toMatchObject({ whole: true, bits: 16 })
    }
    // Nothing of an artifact touches the machines, and the media route serves none of the bucket without a signature.
    for (const { DATA_DIR } of environments) expect(existsSync(join(DATA_DIR, 'artifacts'))).toBe(false)
    expect((await call(`${url}/media/x`)).status).toBe(403)
    expect(await creditsOf(environments[0], 'reader')).toBe(100_000 - texts.join('').length)

    // Both are at work when one machine dies: the other one has to do all of it.
    const speech = await startSpeechServer()
    const auditor = await openRuntime(readSettings(environments[0]), openLog('silent'), { supervise: false })
    Object.assign(open, { speech, auditor })
    await applyEndpoint(auditor, 'gpu', { pool: 'gpu', base_url: speech.url, max_in_flight: AT_SERVER })
    const isKnown = async () => (await call(`${url}/api/v1/public/voice/gpu`)).status === 200
    await until(isKnown, TIMEOUT_MS, 'the API to know the endpoint')
    const gate = Promise.withResolvers<void>()
    speech.answer(() => ({ until: gate.promise }))
    const permitsAtServer = async () => {
      const rows = await auditor.db.prisma.worker.findMany({ orderBy: { startedAt: 'asc' } })
      return rows.map(({ permits }) => (permits as Record<string, number>)[speech.url] ?? 0)
    }
    const haveBoth = async () => (await permitsAtServer()).every((permits) => permits > 0)
    await until(haveBoth, TIMEOUT_MS, 'both to have a part of the limit')
    const more = Array.from({ length: AT_SERVER }, (_, index) => `Begun on either machine, ${index}.`)
    const begun = await Promise.all(more.map((text) => submitText(url, key, 'gpu', text)))
    await until(() => speech.inFlight() === AT_SERVER, TIMEOUT_MS, 'all to be at the server')
    // The whole limit is in use, so each has as many requests there as it may: also where one was silent for long and left it all to the other.
    const dying = (await permitsAtServer()).findIndex((permits) => permits > 0)
    await workers[dying]!.stop('SIGKILL')
    await until(() => speech.abandoned() > 0, TIMEOUT_MS, 'the requests of the dead machine to end')
    const lost = speech.abandoned()
    await until(() => speech.calls.length >= AT_SERVER + lost, TIMEOUT_MS, 'the other machine to have them')
    gate.resolve()
    for (const id of begun) expect((await finishedJob(url, key, id, TIMEOUT_MS)).status).toBe('completed')

    const evidence = {
      door: { url, key },
      logs: [api, ...workers].map((one) => one.stderr()),
      secrets: [key, operator, ...texts, ...more],
    }
    expect(await audit(auditor, [...ids, ...begun], evidence)).toEqual([])
    expect(await workers[1 - dying]!.stop()).toBe(0)
    expect(await api.stop()).toBe(0)
  })
})
