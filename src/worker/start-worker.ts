import { availableParallelism } from 'node:os'
import { isBuiltInServed } from '../catalog/engine-server.ts'
import { CATALOG_CHANNEL } from '../context/catalog-snapshot.ts'
import { type Resolver, sharedResolver, systemResolver } from '../egress/resolver.ts'
import { openCogServers } from '../engines/cog.ts'
import { OWNED_SERVER } from '../engines/engine-block.ts'
import { type Engines, openEngines } from '../engines/engines.ts'
import type { EspeakEngine } from '../engines/espeak/espeak.ts'
import { openClaimRegistry } from '../jobs/lifecycle/claim-job.ts'
import type { Dispatcher } from '../queue/dispatcher.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { modelsDirOf } from '../voice/trials/trial-engines.ts'
import type { WebhookWorker } from '../webhooks/delivery/start-webhook-worker.ts'
import type { AskTimes } from './engines/ask-engines.ts'
import { EngineNotes } from './engines/engine-notes.ts'
import { EngineWatch } from './engines/watch-engines.ts'
import { KINDS, type WorkerParts } from './kinds.ts'
import { maintain } from './maintenance.ts'
import { measureWorker } from './measure-worker.ts'
import { type Registration, registerWorker } from './register-worker.ts'
import { type Pools, servePools } from './serve-pools.ts'
import { asOwnedServer, openWorkerServer, type ServerOptions } from './server/open-worker-server.ts'
import type { WorkerServer } from './server/worker-server.ts'
import { ServerPermits, slotsOver } from './server-permits.ts'
import { GpuWatch } from './watch-gpus.ts'
import type { WorkerLoad } from './workers.ts'

const CHECK_MS = 100
const IDLE_CHECKS = 2
const LONGEST_WAIT_MS = 30_000

export interface Worker {
  readonly heartbeatAge: number
  /** Finishes running jobs within SHUTDOWN_SECONDS and releases the others. */
  stop(): Promise<void>
}

interface WorkerOptions {
  readonly pools?: readonly string[]
  readonly webhooks?: boolean
  readonly engines?: Engines
  readonly espeak?: EspeakEngine
  readonly server?: ServerOptions
  readonly resolver?: Resolver
  readonly askTimes?: Partial<AskTimes>
}

/** Takes jobs of every kind until stopped, and maintains the installation. */
export async function startWorker(runtime: Runtime, options: WorkerOptions = {}): Promise<Worker> {
  const worker = new JobWorker(runtime, options)
  try {
    await worker.start()
  } catch (error) {
    await worker.stop().catch(() => undefined)
    throw error
  }
  return worker
}

class JobWorker implements Worker {
  readonly #runtime: Runtime
  readonly #options: WorkerOptions
  readonly #gpus: GpuWatch
  readonly #server: WorkerServer | undefined
  readonly #parts: WorkerParts
  readonly #engineNotes: EngineNotes
  readonly #engineWatch: EngineWatch
  #pools: Pools | undefined
  readonly #shared = new Map<string, Dispatcher>()
  #webhooks: WebhookWorker | undefined
  #registration: Registration | undefined
  /** Background watchers, stopped before the dispatchers. */
  readonly #watching: (() => void)[] = []
  #stopping = false

  constructor(runtime: Runtime, options: WorkerOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#gpus = new GpuWatch(options.server?.spec.gpus ?? null)
    this.#server = this.#openServer()
    this.#engineNotes = new EngineNotes(runtime, options.askTimes?.again)
    this.#parts = this.#openParts()
    this.#engineWatch = this.#watchEngines()
  }

  async start(): Promise<void> {
    const [runtime, parts, { pools, webhooks = false }] = [this.#runtime, this.#parts, this.#options]
    this.#gpus.start()
    this.#watching.push(() => this.#gpus.end())
    await this.#server?.start()
    this.#pools = await servePools(runtime, pools, (pool) => KINDS.voice(runtime, parts, pool))
    const isBusy = () => webhooks && this.#webhooks?.isBusy() !== false
    if (runtime.settings.warmUp) this.#watching.push(warmWhenIdle(() => this.#warm(), isBusy))
    for (const [type, start] of Object.entries(KINDS.shared)) this.#shared.set(type, await start(runtime, parts))
    this.#engineWatch.start()
    this.#watching.push(() => this.#engineWatch.end())
    this.#registration = await registerWorker(runtime, {
      load: () => this.#load(),
      onHeartbeat: (peers) => parts.permits.follow(peers),
      onSilence: () => {
        for (const dispatchers of this.#dispatchers()) dispatchers.leaveServers()
      },
    })
    const working = () => ({
      ...{ pools: this.#pools, shared: this.#shared, heartbeatAge: this.heartbeatAge },
      isUnwell: this.#server && this.#server.health.complaint !== null,
    })
    this.#watching.push(await this.#followServers(), maintain(runtime), measureWorker(runtime, parts, working))
    if (webhooks) this.#webhooks = await KINDS.webhook(runtime, parts.resolver)
  }

  get heartbeatAge(): number {
    return this.#registration?.age ?? 0
  }

  async stop(): Promise<void> {
    const { permits, cogServers, engines } = this.#parts
    const graceMs = this.#runtime.settings.shutdownSeconds * 1000
    this.#stopping = true
    for (const end of this.#watching) end()
    // Others may take the permits that this worker frees.
    void permits.renew().catch(() => undefined)
    await Promise.all([...this.#dispatchers().map((one) => one.stop(graceMs)), this.#webhooks?.stop()])
    // Requests must end before others get their permits.
    await cogServers.left()
    await this.#server?.stop()
    await this.#registration?.end()
    permits.close()
    if (this.#options.engines === undefined) await engines.close()
  }

  #openParts(): WorkerParts {
    const [{ log, settings, db, telemetry, vault }, { espeak }] = [this.#runtime, this.#options]
    const threads = availableParallelism()
    const pools = () => this.#pools?.names ?? []
    const permits = new ServerPermits(
      this.#runtime,
      () => (this.#stopping ? [] : pools()),
      () => (this.#server?.url ? pools() : []),
      () => this.#server?.health.most ?? 0,
    )
    const owned = asOwnedServer(this.#server)
    const slotsAt = (server: string) => permits.slotsAt(server)
    return {
      claims: openClaimRegistry(db),
      permits,
      engines:
        this.#options.engines ??
        openEngines({
          threads,
          log,
          lookUp: settings.lookUp,
          vault,
          slotsAt,
          owned,
          telemetry,
          follow: (...request) => this.#engineNotes.follow(...request),
          ...(espeak && { espeak }),
          modelsDir: modelsDirOf(settings),
          modelsBytes: settings.modelsBytes,
        }),
      cogServers: openCogServers(slotsAt, owned, telemetry),
      resolver: sharedResolver(this.#options.resolver ?? systemResolver()),
      threads,
    }
  }

  #watchEngines(): EngineWatch {
    const { engines, permits, threads } = this.#parts
    const isServer = (key: string) => key === OWNED_SERVER || URL.canParse(key)
    return new EngineWatch(this.#runtime, {
      ...{ engines, threads, notes: this.#engineNotes, times: this.#options.askTimes },
      pools: () => this.#pools?.names ?? [],
      mayUse: (key) => !isServer(key) || permits.slotsAt(key).load < Number.POSITIVE_INFINITY,
    })
  }

  #openServer(): WorkerServer | undefined {
    const { server } = this.#options
    if (server === undefined) return undefined
    return openWorkerServer(this.#runtime, server, {
      gpus: () => this.#gpus.current,
      pools: () => this.#pools?.names ?? [],
      onReady: () => this.#parts.permits.grantOwned(),
      dispatchers: () => this.#dispatchers(),
    })
  }

  #dispatchers(): (Pools | Dispatcher)[] {
    return [...(this.#pools ? [this.#pools] : []), ...this.#shared.values()]
  }

  #warm(): void {
    void import('../reading/read.ts')
    if (isBuiltInServed(this.#runtime.catalog.current, this.#pools?.names ?? [])) void this.#parts.engines.warm()
  }

  #load(): WorkerLoad {
    const { names = [] } = this.#pools ?? {}
    return {
      pools: this.#stopping ? [] : names,
      slots: slotsOver(this.#runtime, names, this.#parts.permits, this.#parts.threads),
      inFlight: this.#dispatchers().reduce((sum, { inFlight }) => sum + inFlight, 0),
      gpus: this.#gpus.current,
      server: this.#server?.status ?? null,
      away: this.#engineWatch.away,
      engines: this.#engineWatch.loads,
    }
  }

  #followServers(): Promise<() => void> {
    const { catalog, notifier, log } = this.#runtime
    const follow = (): void => {
      catalog
        .reload()
        .then(() => this.#parts.permits.renew())
        .catch((error: Error) =>
          log.warn({ err: error.message }, 'servers are shared out again with the next heartbeat'),
        )
    }
    return notifier.listen(CATALOG_CHANNEL, follow, follow)
  }
}

/**
 * Calls `warm` once when idle or after LONGEST_WAIT_MS, because compiling an engine takes all cores.
 * @returns a function that cancels it
 */
export function warmWhenIdle(warm: () => unknown, isBusy: () => boolean): () => void {
  const latest = performance.now() + LONGEST_WAIT_MS
  let idleChecks = 0
  const timer = setInterval(() => {
    idleChecks = isBusy() ? 0 : idleChecks + 1
    if (idleChecks < IDLE_CHECKS && performance.now() < latest) return
    clearInterval(timer)
    warm()
  }, CHECK_MS)
  return () => clearInterval(timer)
}
