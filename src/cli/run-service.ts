import { setTimeout as wait } from 'node:timers/promises'
import { readSettings, type Settings, withoutSettings } from '../context/config.ts'
import { ConfigError } from '../context/config-error.ts'
import { closingLimit } from '../runtime/foundation.ts'
import { followPublicUrl } from '../runtime/public-url.ts'
import { openRuntime, type Runtime } from '../runtime/runtime.ts'
import { openServiceManager } from '../runtime/service-manager.ts'
import { closeAll, type Opened, stopOnSignal, surviveRejections } from '../runtime/shutdown.ts'
import { Readiness } from '../server/readiness.ts'
import { openTracing } from '../telemetry/open-tracing.ts'
import { type Metrics, openMetrics } from '../telemetry/prometheus.ts'
import { type Log, nameProcess, openLog } from '../values/log.ts'
import { commandLine } from '../values/program.ts'
import { loadDeliveries } from '../webhooks/delivery-port.ts'
import type { ServerOptions } from '../worker/server/open-worker-server.ts'
import { hasBrowser, openBrowser } from './open-browser.ts'

export interface Roles {
  readonly api: boolean
  readonly worker: boolean
  readonly demo: boolean
  /** Shows the console in a browser, where a user sits before one. */
  readonly open: boolean
  readonly pools?: readonly string[]
  /** File that describes the engine server which the worker starts and owns. */
  readonly serverFile?: string
}

/** Runs until a signal stops it. It imports only the modules of its roles. */
export async function runService(roles: Roles): Promise<void> {
  const opened: Opened = { starting: Promise.resolve(), working: [], ground: [] }
  let log = openLog('silent')
  let graceMs = 0
  let stopping: AbortSignal | undefined
  try {
    const settings = readSettings(process.env)
    nameProcess(roleOf(roles))
    log = openLog(settings.logLevel)
    surviveRejections(log)
    graceMs = settings.shutdownSeconds * 1000
    stopping = stopOnSignal(log, opened, graceMs)
    const manager = openServiceManager(process.env, log)
    stopping.addEventListener('abort', () => manager.stopping())
    const starting = start(settings, log, roles, opened, stopping)
    opened.starting = starting
    await starting
    manager.ready()
  } catch (error) {
    // A start that a signal interrupts is no error; the signal handler closes the parts.
    if (stopping?.aborted) return
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(
      error instanceof ConfigError ? `Invalid configuration:\n${message}\n` : `Sonant cannot start: ${message}\n`,
    )
    await closeAll(log, opened, graceMs)
    process.exit(1)
  }
}

async function start(settings: Settings, log: Log, roles: Roles, opened: Opened, stopping: AbortSignal): Promise<void> {
  const server = roles.serverFile === undefined ? undefined : await readServer(roles.serverFile)
  await trace(settings, log, roles, opened)
  const metrics = settings.metrics === null ? null : await openMetrics(roleOf(roles))
  const runtime = await openRuntime(settings, log, {
    supervise: roles.worker,
    ...(metrics !== null && { telemetry: metrics }),
  })
  opened.ground.push(() => runtime.close())
  if (roles.worker) nameProcess(roleOf(roles), runtime.workerId)
  const readiness = new Readiness(runtime)
  // Load balancers must not send work before the worker runs.
  if (roles.worker) readiness.follow(() => Number.POSITIVE_INFINITY)
  opened.drain = async () => {
    readiness.drain()
    await wait(settings.drainSeconds * 1000)
  }
  if (metrics !== null) await serveMetrics(runtime, metrics, readiness, opened)
  stopping.throwIfAborted()
  await requireBucket(runtime)
  await Promise.all([loadDeliveries(), loadQueryCompiler(runtime)])
  if (roles.api) {
    const { serveApi } = await import('./serve-api.ts')
    const opens = roles.open && hasBrowser(process.env, process.platform, process.stdout.isTTY)
    const { lines, console } = await serveApi(runtime, opened, { readiness, demo: roles.demo, opens })
    print(...lines)
    stopping.throwIfAborted()
    if (opens) openBrowser(console)
  }
  if (roles.worker) await work(runtime, opened, { roles, server, readiness })
  if (!roles.api) print('Sonant works')
}

/** An unreachable bucket at the start is likely a wrong setting. A full disk is not: jobs wait for space. */
async function requireBucket({ storage, storeWatch, settings }: Runtime): Promise<void> {
  if (settings.s3 === null) return void (await storeWatch.check())
  await storage.probe().catch((error: Error) => {
    throw new Error(`the bucket of STORAGE_URL cannot be used: ${error.message} Try "${commandLine('storage check')}".`)
  })
}

/** Prisma loads its compiler with the first query and blocks the event loop, so this query precedes all requests. */
async function loadQueryCompiler({ db }: Runtime): Promise<void> {
  await db.prisma.installation.findFirst({ select: { id: true } })
}

async function trace(settings: Settings, log: Log, roles: Roles, opened: Opened): Promise<void> {
  const tracing = await openTracing(settings.traces, roleOf(roles))
  opened.ground.push(async () => {
    if (!(await tracing.close(closingLimit(settings)))) log.warn('the last spans were not sent: the collector is away')
    return true
  })
}

async function serveMetrics(runtime: Runtime, metrics: Metrics, readiness: Readiness, opened: Opened): Promise<void> {
  const { log, settings } = runtime
  if (settings.metrics === null) return
  const { openMetricsServer } = await import('../server/metrics/metrics-server.ts')
  const server = await openMetricsServer(runtime, settings.metrics, metrics, readiness)
  opened.ground.push(() => server.close().then(() => true))
  log.info({ url: `${server.url}/metrics` }, 'metrics are served')
}

interface Work {
  readonly roles: Roles
  readonly server: ServerOptions | undefined
  readonly readiness: Readiness
}

async function work(runtime: Runtime, opened: Opened, { roles, server, readiness }: Work): Promise<void> {
  if (!roles.api && runtime.settings.publicUrl === null) await followPublicUrl(runtime)
  const { pools } = roles
  const owned = { ...(pools !== undefined && { pools }), ...(server !== undefined && { server }) }
  const { startWorker } = await import('../worker/start-worker.ts')
  const worker = await startWorker(runtime, { webhooks: true, ...owned })
  opened.working.push({ what: 'the worker', close: () => worker.stop() })
  readiness.follow(() => worker.heartbeatAge)
}

/** Security: the server's environment holds no secrets of this service. @throws ConfigError */
async function readServer(file: string): Promise<ServerOptions> {
  const { readServerFile } = await import('../worker/server/server-file.ts')
  return { spec: readServerFile(file, process.env), environment: withoutSettings(process.env) }
}

const roleOf = ({ api, worker }: Roles): 'start' | 'serve' | 'work' => (api ? (worker ? 'start' : 'serve') : 'work')

const print = (...lines: string[]): void => {
  process.stdout.write(`${lines.join('\n')}\n`)
}
