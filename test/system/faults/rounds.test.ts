import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { synthesize } from '../../../src/voice/synthesize.ts'
import { audit } from '../../setup/audit/audit.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'

const ROUNDS = 100
const AT_ONCE = 10

let service: TestRuntime
let other: Runtime
let elsewhere: string
beforeAll(async () => {
  service = await startTestRuntime()
  elsewhere = await mkdtemp(join(tmpdir(), 'sonant-other-'))
  const { databaseUrl } = service.runtime.settings
  const env = { DATABASE_URL: databaseUrl ?? '', DATA_DIR: elsewhere, LOG_LEVEL: 'silent' }
  other = await openRuntime(readSettings(env), openLog('silent'), { supervise: false })
})
afterAll(async () => {
  await other.close()
  await service.close()
  await rm(elsewhere, { recursive: true, force: true })
})

test(`two workers that have one job, ${ROUNDS} times: one charge, one result, whichever wins`, {
  timeout: 120_000,
}, async () => {
  await applyEndpoint(service.runtime, 'contested', { pool: 'nobody-serves' })
  const { key } = await service.createCaller(10_000_000n)
  const signal = new AbortController().signal
  let renderings = 0
  const engines = standInEngines(() => void renderings++)
  // One artifact store for both, as two machines with one bucket have.
  const workers = [service.runtime, { ...other, storage: service.runtime.storage }].map((parts) => ({
    ...parts,
    engines,
  }))
  const ids: string[] = []
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    const texts = Array.from({ length: AT_ONCE }, (_, index) => `${round + index}.`)
    const some = await Promise.all(texts.map((text) => submitText(service.url, key, 'contested', text)))
    await Promise.all(some.flatMap((id) => workers.map((worker) => synthesize(worker, id, signal))))
    ids.push(...some)
  }
  const { rows } = await service.runtime.db.pool.query(
    'select status, count(*)::integer as jobs from job group by status',
  )
  expect(rows).toEqual([{ status: 'completed', jobs: ROUNDS }])
  expect(await audit(service.runtime, ids, { door: { url: service.url, key } })).toEqual([])
  // Else both never met, and the test would prove nothing.
  expect(renderings).toBeGreaterThan(ROUNDS)
})
