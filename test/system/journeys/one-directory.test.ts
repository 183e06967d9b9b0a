import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { cleanUp, makeTempDir, processesOf, type Service, startService } from '../../setup/processes/process.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 30_000
const SERVICES = 3
const DEMO_CREDITS = 1_000_000

afterAll(cleanUp)

test('three services that start at the same instant on one empty directory share a database and one demo account, and work on as one after the other stops', {
  timeout: 180_000,
}, async () => {
  const dataDir = join(await makeTempDir(), 'data')
  const ports = await freePorts(SERVICES)
  const env = { RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' }
  const all = await Promise.all(ports.map((port) => startService({ dataDir, port, env, awaitKey: false })))
  const isPrinted = () => all.every(({ stdout }) => /^Sonant listens.*\n/m.test(stdout()))
  await until(isPrinted, TIMEOUT_MS, 'all to say where they listen')
  const keys = all.flatMap(({ stdout }) => stdout().match(/snt_[0-9A-Za-z]{42}/) ?? [])
  expect(keys).toHaveLength(1)
  const key = keys[0]!
  const settings = readSettings({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  const auditor = await openRuntime(settings, openLog('silent'), { supervise: false })
  try {
    const { rows } = await auditor.db.pool.query<{ name: string; credits: string }>('select name, credits from account')
    expect(rows).toEqual([{ name: 'demo', credits: String(DEMO_CREDITS) }])
    const voices = await Promise.all(all.map(({ url }) => call(`${url}/api/v1/voice/tts/voices`, { key })))
    expect(voices.map(({ status }) => status)).toEqual(ports.map(() => 200))
    expect(new Set(voices.map(({ text }) => text)).size).toBe(1)
    const say = (service: Service, n: number) => submitText(service.url, key, 'tts', `Sentence ${n}.`, 'aria')
    const ids = await Promise.all([0, 1, 2, 3].map((n) => say(all[n % SERVICES]!, n)))
    // Each process can show the jobs of the others.
    for (const [n, id] of ids.entries())
      expect((await finishedJob(all[(n + 1) % SERVICES]!.url, key, id)).status).toBe('completed')

    for (const [n, service] of all.slice(0, -1).entries()) {
      expect(await service.stop()).toBe(0)
      // One of them had started PostgreSQL. It stays for the others, or they start it again.
      for (const { url } of all.slice(n + 1)) {
        const isReady = async () => (await call(`${url}/health/ready`)).status === 200
        await until(isReady, TIMEOUT_MS, 'the other services to be ready')
      }
    }
    const [last] = all.slice(-1) as [Service]
    ids.push(await say(last, 4))
    expect((await finishedJob(last.url, key, ids.at(-1)!)).status).toBe('completed')
    const logs = all.map((service) => service.stderr())
    expect(await audit(auditor, ids, { door: { url: last.url, key }, logs, secrets: [key] })).toEqual([])
    expect(await last.stop()).toBe(0)
  } finally {
    await auditor.close()
  }
  await until(() => processesOf(dataDir).length === 0, TIMEOUT_MS, 'PostgreSQL to end')
})
