import type { Actor } from '../access/actor.ts'
import { openCatalog } from '../catalog/catalog-cache.ts'
import { jobKinds } from '../catalog/job-kinds.ts'
import { compileInputs } from '../catalog/validate-inputs.ts'
import { poolOf } from '../catalog/voice-endpoint.ts'
import { openCompanion } from '../companion/companion.ts'
import { type Closer, closeInTurn } from '../concurrency/closing.ts'
import { CATALOG_CHANNEL, type CatalogSnapshot } from '../context/catalog-snapshot.ts'
import type { Settings } from '../context/config.ts'
import type { CompletionParts } from '../jobs/lifecycle/produce.ts'
import { openCompletions } from '../jobs/lifecycle/record-outcome.ts'
import type { DispatchOptions } from '../queue/dispatcher.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import { openBoss } from '../queue/pgboss/boss.ts'
import { type BossQueue, bossQueue } from '../queue/pgboss/boss-queue.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { openSignInThrottle } from '../users/sign-in.ts'
import { newId } from '../values/id.ts'
import type { Log } from '../values/log.ts'
import { closingLimit, openFoundation } from './foundation.ts'
import { installEndpoint } from './install.ts'
import { readPublicUrl } from './public-url.ts'
import type { ServiceContext, Services } from './services.ts'

const CATALOG_RETRY_MS = 250

interface Role {
  /** A worker runs in this process, which also looks after the queue. */
  readonly supervise: boolean
  readonly telemetry?: Telemetry
}

/** All parts of a process; `close` closes them in reverse order. */
export interface Runtime extends Services, Pick<CompletionParts, 'completions'> {
  readonly queue: BossQueue
  readonly boss: DispatchOptions['boss']
  readonly workerId: string
  readonly signingKey: Uint8Array
  publicUrl: string
  as(actor: Actor): ServiceContext
  /** false if a part did not close in time. */
  close(): Promise<boolean>
}

/** Composition root: foundation (secret, database, migrations, notifier, storage), queue, catalog. */
export async function openRuntime(settings: Settings, log: Log, role: Role): Promise<Runtime> {
  const closers: Closer[] = []
  const close = () => closeInTurn(closers, closingLimit(settings), log)
  try {
    const foundation = await openFoundation(settings, log, closers, () => runtime, { telemetry: role.telemetry })
    const boss = await openBoss(foundation.db, log, role.supervise)
    closers.push({ what: 'the queue', close: () => boss.stop({ graceful: false, close: false }) })
    const queue = bossQueue(async () => boss, foundation.notifier)
    const runtime: Runtime = {
      ...foundation,
      hasWorker: role.supervise,
      queue,
      boss,
      completions: openCompletions(() => runtime),
      catalog: openCatalog(foundation.db, {
        maxTextCharacters: settings.maxTextCharacters,
        compile: compileInputs,
        prepare: (snapshot) => prepareQueues(queue, snapshot),
      }),
      workerId: newId('wrk', foundation.now()),
      companion: await openCompanion(settings.companion),
      signIns: openSignInThrottle(),
      as: (actor) => ({ ...runtime, actor }),
      close,
    }
    await followCatalog(runtime)
    await installEndpoint(runtime.as({ kind: 'system' }))
    if (settings.publicUrl === null) await readPublicUrl(runtime)
    return runtime
  } catch (error) {
    await close()
    throw error
  }
}

async function followCatalog(runtime: Runtime): Promise<void> {
  const refresh = async (): Promise<void> => {
    try {
      await runtime.catalog.reload()
    } catch (error) {
      runtime.log.warn({ err: (error as Error).message }, 'the catalog could not be read; trying again')
      setTimeout(() => void refresh(), CATALOG_RETRY_MS).unref()
    }
  }
  await runtime.notifier.listen(CATALOG_CHANNEL, refresh, refresh)
  await runtime.catalog.reload()
}

/** Queues must exist before callers submit. */
async function prepareQueues(queue: BossQueue, { endpoints }: CatalogSnapshot): Promise<void> {
  const pools = [...new Set([...endpoints.values()].map(poolOf))]
  await Promise.all([WEBHOOK_KIND, ...jobKinds(pools)].map((kind) => queue.prepare(kind)))
}
