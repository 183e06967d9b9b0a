import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../../src/accounts/create-account.ts'
import { createApiKey } from '../../../src/api-keys/change-api-key.ts'
import { readSettings } from '../../../src/context/config.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow, submitPrompt } from '../../setup/jobs/workflows.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { canMount, startMounted } from '../../setup/processes/mounts.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses } from '../../setup/processes/processes.ts'
import { type ProviderServer, prediction, startProviderServer } from '../../setup/servers/provider-server.ts'
import { OUTSIDE_ALLOWED, openRebinding, type Rebinding } from '../../setup/servers/rebinding.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const HANGING = 20
const WORKFLOW = 'drawn'
const SPOKEN = 'spoken'
const UNDRAWN = 'undrawn'
const UNHEARD = 'unheard'
const SCOPES = ['generate:voice', 'generate:workflow', 'job:read']

let provider: ProviderServer
let speech: SpeechServer
beforeAll(async () => {
  ;[provider, speech] = await Promise.all([startProviderServer(), startSpeechServer()])
})
afterAll(async () => {
  await endProcesses()
  await Promise.all([provider.close(), speech.close()])
  await cleanUp()
})

describe('a name that leads elsewhere the second time it is asked for', () => {
  let rebinding: Rebinding
  let service: TestRuntime
  beforeAll(async () => {
    rebinding = await openRebinding()
    const env = { EGRESS_ALLOW: OUTSIDE_ALLOWED, WEBHOOK_RETRY_DELAYS: '0.1,0.1,0.1' }
    service = await startTestRuntime({ worker: true, webhooks: rebinding.resolver, env })
  })
  afterAll(async () => {
    await service.close()
    await rebinding.close()
  })
  afterEach(() => expect(rebinding.reached.inside).toBe(0))

  test.each<[string, (before: number) => boolean]>([
    ['between the judgement and the connection', (before) => before > 0],
    ['after the first attempt', () => rebinding.reached.outside > 0],
  ])('is never connected to there by a webhook, turned %s', async (_when, isInside) => {
    rebinding.turnInside(isInside)
    const owner = await createOwner(service, `https://rebound.test:${rebinding.port}/`)
    const { attempts, outcome } = await owner.outcomeOf(await owner.sendTest())
    expect([outcome, attempts.length]).toEqual(['address_refused', 4])
  })

  test('is never connected to there for an output: the job fails uncharged', async () => {
    rebinding.turnInside((before) => before > 0)
    const output = `https://rebound-output.test:${rebinding.port}/a.png`
    provider.script('/predictions', prediction(output))
    await applyWorkflow(service.runtime, WORKFLOW, { base_url: provider.url, retry_seconds: 5 })
    const key = (await service.createKey(await service.createAccount(), SCOPES)).apiKey
    const before = rebinding.reached.outside
    const id = await submitPrompt(service.url, key, WORKFLOW, 'a cat')
    await allFinished(service.runtime, [id])
    const { rows } = await service.runtime.db.pool.query('select status, error_code, cause from job where id = $1', [
      id,
    ])
    expect(rows).toEqual([
      { status: 'failed', error_code: 'PROVIDER_UNAVAILABLE', cause: 'an output could not be fetched' },
    ])
    expect(rebinding.reached.outside).toBe(before + 1)
    expect(await audit(service.runtime, [id])).toEqual([])
  })
})

describe.skipIf(!canMount())('a name server that never answers', { timeout: 240_000 }, () => {
  const names = createSocket('udp4')
  // Not 127.0.0.53, where a system's own resolver listens.
  const address = `127.53.${randomInt(256)}.${randomInt(1, 255)}`
  let database: TestDatabase
  let auditor: Runtime
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => names.once('error', reject).bind(53, address, resolve))
    database = await createTestDatabase('opened')
  })
  afterAll(async () => {
    names.close()
    await auditor?.close()
    await database.drop()
  })

  test('for 20 outputs, 20 texts and 20 predictions holds up nothing else: neither an engine that has a name itself, nor the disk, nor requests', async () => {
    const dir = await makeTempDir()
    const resolvConf = join(dir, 'resolv.conf')
    writeFileSync(resolvConf, `nameserver ${address}\noptions timeout:5 attempts:3\n`)
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const env = { DATABASE_URL: database.url, DATA_DIR: join(dir, 'data'), PORT: String(port), LOG_LEVEL: 'warn' }
    const service = await startMounted('mount --bind "$1" /etc/resolv.conf', resolvConf, env)
    auditor = await openRuntime(readSettings({ ...env, LOG_LEVEL: 'silent' }), openLog('silent'), { supervise: false })

    let made = 0
    provider.script('/predictions', () => prediction(`https://hanging-${made++}.example.com/a.png`))
    // All of them are to wait at once, which may take a busy machine a while.
    const hung = { retry_seconds: 240, max_in_flight: HANGING }
    const patient = { time_limit_seconds: 240 }
    await applyWorkflow(auditor, WORKFLOW, { base_url: provider.url, ...hung }, patient)
    await applyEndpoint(auditor, UNHEARD, { base_url: 'http://speech.example.com', ...hung }, patient)
    await applyWorkflow(auditor, UNDRAWN, { base_url: 'http://cog.example.com', ...hung }, patient)
    await applyEndpoint(auditor, SPOKEN, { base_url: `http://localhost:${speech.port}`, max_in_flight: 4 })
    const operator = auditor.as({ kind: 'system' })
    const { id: accountId } = await createAccount(operator, { name: 'drawing', credits: 1_000_000n })
    const { apiKey: key } = await createApiKey(operator, { account: accountId, name: 'k', scopes: SCOPES })
    const isKnown = async () =>
      (await call(`${url}/api/v1/generate/${WORKFLOW}`, { method: 'POST', key, body: {} })).status === 400
    await until(isKnown, TIMEOUT_MS, 'the workflow to be known')
    const isSpoken = async () => (await call(`${url}/api/v1/public/voice/${SPOKEN}`)).status === 200
    await until(isSpoken, TIMEOUT_MS, 'the endpoint to be known')
    const numbers = Array.from({ length: HANGING }, (_, n) => n)
    const hanging = await Promise.all([
      ...numbers.map((n) => submitPrompt(url, key, WORKFLOW, `picture ${n}`)),
      ...numbers.map((n) => submitPrompt(url, key, UNDRAWN, `picture ${n}`)),
      ...numbers.map((n) => submitText(url, key, UNHEARD, `text ${n}`)),
    ])
    await until(() => made >= HANGING, TIMEOUT_MS, 'all predictions to be made')
    const processing = `select count(*)::int as waiting from job where id = any($1) and status = 'processing'`
    const waiting = async () => (await auditor.db.pool.query(processing, [hanging])).rows[0].waiting
    await until(async () => (await waiting()) === hanging.length, TIMEOUT_MS, 'all jobs to wait for a name')

    const spoken = await finishedJob(url, key, await submitText(url, key, SPOKEN, 'Nobody waits for me.'))
    expect(spoken.status).toBe('completed')
    expect((await call(spoken.outputs!.audio)).bytes.length).toBeGreaterThan(44)
    expect(await waiting()).toBe(hanging.length)

    const owner = auditor.as({ kind: 'account', accountId, credits: 1n })
    for (const jobId of hanging) await cancelJob(owner, { jobId })
    await allFinished(auditor, hanging)
    expect(await audit(auditor, [...hanging, spoken.job_id], { logs: [service.stderr()] })).toEqual([])
    expect(await service.stop()).toBe(0)
  })
})
