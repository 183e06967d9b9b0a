import { existsSync } from 'node:fs'
import { type Closer, closeInTurn } from '../concurrency/closing.ts'
import type { Catalog } from '../context/catalog-snapshot.ts'
import type { Settings } from '../context/config.ts'
import { postgresDirectory } from '../db/embedded/embedded-directory.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import { bossQueue } from '../queue/pgboss/boss-queue.ts'
import type { Queue } from '../queue/queue.ts'
import { closingLimit, openFoundation, type Whole } from '../runtime/foundation.ts'
import type { OpenedServer } from '../runtime/open-server.ts'
import { readPublicUrl } from '../runtime/public-url.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ServiceContext } from '../runtime/services.ts'
import type { Log } from '../values/log.ts'
import { printable } from '../values/printable.ts'

/**
 * Parts that a command needs besides the database.
 * `inputs` compiles input schemas, with `catalog`. `queue` is for enqueuing only; cancelling and waking workers need none.
 */
export type Need = 'catalog' | 'inputs' | 'queue'

interface Look {
  readonly asItIs?: boolean
  /** An open database, which its opener closes. */
  readonly server?: OpenedServer
}

export interface OpenedCommand {
  readonly ctx: ServiceContext
  close(): Promise<boolean>
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>

/**
 * Opens only the parts that a command needs, because loading all takes most of its time.
 * It installs a database that was never used.
 */
export async function openCommand(
  settings: Settings,
  log: Log,
  needs: readonly Need[],
  { asItIs = false, server }: Look = {},
): Promise<OpenedCommand> {
  const isNew = hasNoDatabase(settings)
  const closers: Closer[] = []
  const close = () => closeInTurn(closers, closingLimit(settings), log)
  try {
    const foundation = await openFoundation(settings, log, closers, () => whole, { asItIs, server })
    if (isNew) sayMade(settings)
    if (!asItIs && !(await isInstalled(foundation))) {
      const runtime = await openWhole(settings, log)
      closers.push({ what: 'the service', close: () => runtime.close() })
      return { ctx: runtime.as({ kind: 'system' }), close }
    }
    if (!asItIs && settings.publicUrl === null) await readPublicUrl(foundation)
    const whole: Whole = {
      ...foundation,
      hasWorker: false,
      queue: needs.includes('queue') ? await openQueue(foundation, closers) : bossQueue(noBoss, foundation.notifier),
      catalog: needs.includes('catalog') ? await loadCatalog(foundation, needs) : absent('catalog'),
      companion: absent('companion'),
      signIns: absent('sign-ins'),
    }
    return { ctx: { ...whole, actor: { kind: 'system' } }, close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

export async function openService(settings: Settings, log: Log): Promise<Runtime> {
  const isNew = hasNoDatabase(settings)
  const runtime = await openWhole(settings, log)
  if (isNew) sayMade(settings)
  return runtime
}

const hasNoDatabase = ({ databaseUrl, dataDir }: Settings): boolean =>
  databaseUrl === null && !existsSync(postgresDirectory(dataDir))

function sayMade({ dataDir }: Settings): void {
  const path = printable(dataDir)
  process.stderr.write(
    `There was no installation in ${path}: this command made one. For another one, set DATA_DIR or DATABASE_URL.\n`,
  )
}

async function openWhole(settings: Settings, log: Log): Promise<Runtime> {
  const { openRuntime } = await import('../runtime/runtime.ts')
  return openRuntime(settings, log, { supervise: false })
}

async function isInstalled({ db }: Foundation): Promise<boolean> {
  const { rowCount } = await db.pool.query('select from installation')
  return rowCount !== 0
}

async function loadCatalog({ db, settings }: Foundation, needs: readonly Need[]): Promise<Catalog> {
  const { openCatalog } = await import('../catalog/catalog-cache.ts')
  const catalog = openCatalog(db, {
    maxTextCharacters: settings.maxTextCharacters,
    compile: needs.includes('inputs') ? (await import('../catalog/validate-inputs.ts')).compileInputs : noValidator,
    prepare: async () => undefined,
  })
  await catalog.reload()
  return catalog
}

async function openQueue({ db, notifier, log }: Foundation, closers: Closer[]): Promise<Queue> {
  const { openBoss } = await import('../queue/pgboss/boss.ts')
  const boss = await openBoss(db, log, false)
  closers.push({ what: 'the queue', close: () => boss.stop({ graceful: false, close: false }) })
  const queue = bossQueue(async () => boss, notifier)
  // Deliveries are queued inside transactions, which cannot create a queue.
  await queue.prepare(WEBHOOK_KIND)
  return queue
}

const noBoss = async (): Promise<never> => {
  throw new Error('This command has not opened the queue.')
}

const noValidator = () => (): never => {
  throw new Error('This command validates no inputs.')
}

/** A placeholder that throws on use and names the missing part. */
const absent = <Part extends object>(name: string): Part =>
  new Proxy({} as Part, {
    get: () => {
      throw new Error(`This command has not opened the ${name}.`)
    },
  })
