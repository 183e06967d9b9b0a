import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { finishedJob } from '../../setup/fixtures.ts'
import { call, freePorts } from '../../setup/http.ts'
import { cleanUp, makeTempDir, type Service, startService } from '../../setup/process.ts'
import { submitText } from '../../setup/voice-jobs.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 30_000

afterAll(cleanUp)

test('two services that start at the same instant on one empty directory share a database and one demo account, and either goes on alone', {
  timeout: 180_000,
}, async () => {
  const dataDir = join(await makeTempDir(), 'data')
  const ports = await freePorts(2)
  const env = { RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' }
  const both = await Promise.all(ports.map((port) => startService({ dataDir, port, env, awaitKey: false })))
  const isPrinted = () => both.every(({ stdout }) => /^Sonant listens.*\n/m.test(stdout()))
  await until(isPrinted, TIMEOUT_MS, 'both to say where they listen')
  const keys = both.flatMap(({ stdout }) => stdout().match(/snt_[0-9A-Za-z]{42}/) ?? [])
  expect(keys).toHaveLength(1)
  const key = keys[0]!
  const settings = readSettings({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  const auditor = await openRuntime(settings, openLog('silent'), { supervise: false })
  try {
    const { rows } = await auditor.db.pool.query('select name from account')
    expect(rows).toEqual([{ name: 'demo' }])
    const say = (service: Service, n: number) => submitText(service.url, key, 'tts', `Sentence ${n}.`, 'aria')
    const ids = await Promise.all([0, 1, 2, 3].map((n) => say(both[n % 2]!, n)))
    // What one has taken the other can show.
    for (const [n, id] of ids.entries()) await finishedJob(both[(n + 1) % 2]!.url, key, id)

    // It may have started PostgreSQL, which ends with it: the other one starts it again.
    const [leaver, stayer] = both as [Service, Service]
    expect(await leaver.stop()).toBe(0)
    const isReady = async () => (await call(`${stayer.url}/health/ready`)).status === 200
    await until(isReady, TIMEOUT_MS, 'the other service to be ready')
    const last = await say(stayer, 4)
    expect((await finishedJob(stayer.url, key, last)).status).toBe('completed')
    const logs = both.map((service) => service.stderr())
    expect(await audit(auditor, [...ids, last], { door: { url: stayer.url, key }, logs, secrets: [key] })).toEqual([])
    expect(await stayer.stop()).toBe(0)
  } finally {
    await auditor.close()
  }
})
