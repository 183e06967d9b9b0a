import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openDisk } from '../../../src/storage/disk.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { createTestDatabase } from '../../setup/postgres/database.ts'
import { canMount, insideOf, startMounted } from '../../setup/processes/mounts.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses } from '../../setup/processes/processes.ts'
import { until } from '../../setup/wait.ts'

const START = 'mount -t tmpfs -o ro none "$1" && DATA_DIR="$1" exec "$2" bin/sonant.js start'

afterAll(async () => {
  await endProcesses()
  await cleanUp()
})

describe.skipIf(!canMount())('a data directory on a read-only file system', { timeout: 120_000 }, () => {
  test('is one clear sentence at the start', async () => {
    const dir = await makeTempDir()
    const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', START, 'sh', dir, process.execPath], {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^[^\n]*The data directory \S+ cannot be used: the file system is read-only\.\n$/)
  })

  test('that becomes so while the service runs fails no job: they wait, and complete once it can be written', async () => {
    const database = await createTestDatabase('opened')
    const dataDir = await makeTempDir()
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' }
    const service = await startMounted('mount -t tmpfs none "$1"', dataDir, env)
    const key = /snt_[0-9A-Za-z]{42}/.exec(service.stdout())![0]
    const elsewhere = { ...env, DATA_DIR: await makeTempDir(), LOG_LEVEL: 'silent' }
    const runtime = await openRuntime(readSettings(elsewhere), openLog('silent'), { supervise: false })
    const dir = join('/proc', String(service.pid), 'root', dataDir, 'artifacts')
    const storage = openDisk({ dir, publicUrl: () => url, signingKey: new Uint8Array(32) })
    const isReady = async () => (await call(`${url}/health/ready`)).status === 200
    try {
      insideOf(service, `mount -o remount,ro '${dataDir}'`)
      const id = await submitText(url, key, 'tts', 'Not now.', 'aria')
      await until(async () => !(await isReady()), 60_000, 'the process to say that it is not ready')
      expect((await call(`${url}/health/ready`)).json()).toMatchObject({ storage: 'read-only' })
      insideOf(service, `mount -o remount,rw '${dataDir}'`)
      expect((await finishedJob(url, key, id)).status).toBe('completed')
      await until(isReady, 60_000, 'the process to be ready')
      const ids = [id]
      const evidence = { door: { url, key }, logs: [service.stderr()], secrets: [key] }
      expect(await audit({ ...runtime, storage }, ids, evidence)).toEqual([])
    } finally {
      await service.stop()
      await runtime.close()
      await database.drop()
    }
  })
})
