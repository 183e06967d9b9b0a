import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createAccount } from '../../../src/accounts/create-account.ts'
import { createApiKey, type NewApiKey } from '../../../src/api-keys/change-api-key.ts'
import { readSettings } from '../../../src/context/config.ts'
import type { Resolver } from '../../../src/egress/resolver.ts'
import { type EspeakEngine, openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { recordPublicUrl } from '../../../src/runtime/public-url.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { buildApp } from '../../../src/server/app.ts'
import { listen } from '../../../src/server/listen.ts'
import { openMetricsServer } from '../../../src/server/metrics/metrics-server.ts'
import { Readiness } from '../../../src/server/readiness.ts'
import { openMetrics } from '../../../src/telemetry/prometheus.ts'
import { openLog } from '../../../src/values/log.ts'
import { startWebhookWorker } from '../../../src/webhooks/delivery/start-webhook-worker.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { createTestDatabase } from '../postgres/database.ts'

export interface TestRuntime {
  readonly runtime: Runtime
  readonly app: FastifyInstance
  /** Where the API listens. */
  readonly url: string
  /** Where the metrics are, with METRICS_PORT in the environment; else empty. */
  readonly metricsUrl: string
  readonly readiness: Readiness
  readonly dataDir: string
  createAccount(credits?: bigint): Promise<string>
  createKey(account: string, scopes?: readonly string[]): Promise<NewApiKey>
  /** An account of one's own with a key of the default scopes. */
  createCaller(credits?: bigint): Promise<{ account: string; key: string; keyId: string }>
  close(): Promise<void>
}

export interface TestRuntimeOptions {
  readonly worker?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Delivers webhooks; a resolver answers instead of DNS, to a worker as well. */
  readonly webhooks?: boolean | Resolver
  /** How long a reader may stand still. */
  readonly stalledReaderMs?: number
  /** Where the built console lies. */
  readonly consoleFolder?: string
}

let accounts = 0
let espeak: EspeakEngine | undefined

/** One for all files that run in this process: its threads take a second to start, and idle ones keep no process alive. */
const sharedEspeak = (): EspeakEngine => {
  espeak ??= openEspeak({ threads: availableParallelism(), log: openLog('error') })
  return espeak
}

/** The whole service in this process, on a database and a data directory of its own; without a worker unless asked for. */
export async function startTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const database = await createTestDatabase('opened')
  const dataDir = await mkdtemp(join(tmpdir(), 'sonant-runtime-'))
  const settings = readSettings({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    SHUTDOWN_SECONDS: '5',
    WARM_UP: 'off',
    ASK_ENGINES: 'off',
    ...options.env,
  })
  const metrics = settings.metrics === null ? null : await openMetrics('start')
  const runtime = await openRuntime(settings, openLog(settings.logLevel), {
    ...(metrics !== null && { telemetry: metrics }),
    supervise: options.worker === true || Boolean(options.webhooks),
  })
  const resolver = typeof options.webhooks === 'object' ? options.webhooks : undefined
  const worker: Worker | null =
    options.worker === true
      ? await startWorker(runtime, { espeak: sharedEspeak(), ...(resolver && { resolver }) })
      : null
  const webhooks = options.webhooks ? await startWebhookWorker(runtime, resolver) : null
  const { stalledReaderMs, consoleFolder } = options
  const readiness = new Readiness(runtime)
  const scraped =
    metrics !== null && settings.metrics !== null
      ? await openMetricsServer(runtime, settings.metrics, metrics, readiness, stalledReaderMs)
      : null
  const app = await buildApp(runtime, {
    readiness,
    ...(stalledReaderMs !== undefined && { stalledReaderMs }),
    ...(consoleFolder !== undefined && { consoleFolder }),
  })
  const url = await listen(app, { port: 0, host: '127.0.0.1' })
  await recordPublicUrl(runtime, settings.publicUrl ?? url)
  const operator = runtime.as({ kind: 'system' })
  const makeAccount = async (credits = 1_000_000n) =>
    (await createAccount(operator, { name: `account ${process.pid} ${++accounts}`, credits })).id
  const makeKey = (account: string, scopes?: readonly string[]) =>
    createApiKey(operator, { account, name: 'test', ...(scopes !== undefined && { scopes }) })
  return {
    runtime,
    app,
    url,
    dataDir,
    readiness,
    metricsUrl: scraped?.url ?? '',
    createAccount: makeAccount,
    createKey: makeKey,
    createCaller: async (credits) => {
      const account = await makeAccount(credits)
      const key = await makeKey(account)
      return { account, key: key.apiKey, keyId: key.apiKeyId }
    },
    close: async () => {
      await scraped?.close()
      await app.close()
      await webhooks?.stop()
      await worker?.stop()
      await runtime.close()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
