import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openDisk } from '../../../src/storage/disk.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { createTestDatabase } from '../../setup/postgres/database.ts'
import { makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses, startProcess } from '../../setup/processes/processes.ts'

const JOBS = 12
/** Room for a few of the artifacts. */
const SCRIPT = 'mount -t tmpfs -o size=600k none "$1" && exec "$2" bin/sonant.js start'

afterAll(async () => {
  await endProcesses()
  await cleanUp()
})

test.skipIf(!canMount())(
  'a full artifact disk fails jobs with a refund, and the next ones complete once there is room again',
  { timeout: 120_000 },
  async () => {
    const database = await createTestDatabase('opened')
    const dataDir = join(await makeTempDir(), 'data')
    const artifacts = join(dataDir, 'artifacts')
    mkdirSync(artifacts, { recursive: true })
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    }
    const command = ['unshare', '-m', 'sh', '-c', SCRIPT, 'sh', artifacts, process.execPath]
    const service = await startProcess(command, env, /^Sonant listens/m)
    // The mount is in the process's own namespace: this is the way to it from outside.
    const inside = join('/proc', String(service.pid), 'root', artifacts)
    const runtime = await openRuntime(readSettings(env), openLog('silent'), { supervise: false })
    const storage = openDisk({ dir: inside, publicUrl: () => url, signingKey: new Uint8Array(32) })
    try {
      await makeAccount(env, 'full', 100_000)
      const { apiKey: key } = await makeKey(env, 'full')
      const say = (text: string) => submitText(url, key, 'tts', text, 'aria')
      const ids = await Promise.all(
        Array.from({ length: JOBS }, (_, index) => say(`This sentence number ${index} takes some room on the disk.`)),
      )
      const jobs = await Promise.all(ids.map((id) => finishedJob(url, key, id)))
      const codes = new Set(jobs.map(({ status, error_code }) => error_code ?? status))
      expect(codes).toEqual(new Set(['completed', 'INTERNAL_ERROR']))
      expect(readdirSync(join(inside, '.incoming'))).toEqual([])
      expect(await audit({ ...runtime, storage }, ids, { door: { url, key }, logs: [service.stderr()] })).toEqual([])

      await rm(join(inside, ids[jobs.findIndex(({ status }) => status === 'completed')]!), { recursive: true })
      const last = await say('Room again.')
      expect((await finishedJob(url, key, last)).status).toBe('completed')
      expect(readFileSync(join(inside, last, '1', 'audio.wav')).length).toBeGreaterThan(44)
      expect(service.runs()).toBe(true)
    } finally {
      await service.stop()
      await runtime.close()
      await database.drop()
    }
  },
)

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /tmp'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
