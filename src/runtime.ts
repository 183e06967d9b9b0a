import { join } from 'node:path'
import type { PgBoss } from 'pg-boss'
import { presentVoiceJob } from '../rest/present.ts'
import { openCallerWatch } from './api-keys/caller-watch.ts'
import { type Closer, closeInTurn } from './closing.ts'
import { openCompanion } from './companion/companion.ts'
import type { Settings } from './config.ts'
import type { Actor, Context, Parts } from './context.ts'
import { openDataDirectory } from './data-directory.ts'
import { openDatabase } from './db/database.ts'
import { type Embedded, openEmbedded } from './db/embedded.ts'
import { explainUnusable } from './db/explain-unusable.ts'
import { migrate } from './db/migrate.ts'
import { openBus } from './db/postgres-bus.ts'
import { CATALOG_CHANNEL, type CatalogSnapshot, openCatalog } from './endpoints/catalog-cache.ts'
import { poolOf } from './endpoints/voice-endpoint.ts'
import { newId } from './id.ts'
import { installEndpoint } from './install.ts'
import { openExportLane } from './jobs/export-lane.ts'
import { openJobFeed } from './jobs/job-feed.ts'
import type { Log } from './log.ts'
import { readPublicUrl } from './public-url.ts'
import { openBoss } from './queue/boss.ts'
import { type BossQueue, bossQueue } from './queue/boss-queue.ts'
import { GENERATION_KIND, voiceKind, WEBHOOK_KIND } from './queue/job-kind.ts'
import { deriveKey, loadSecretKey } from './secret-key.ts'
import { openDisk } from './storage/disk.ts'
import { openS3 } from './storage/s3.ts'
import { openSpill } from './storage/spill.ts'
import type { Storage } from './storage/storage.ts'
import { openSignInThrottle } from './users/sign-in-throttle.ts'
import { openVault } from './webhooks/secret-vault.ts'

const CATALOG_RETRY_MS = 250
const MAX_CLOSING_SECONDS = 5
/** Some forty exports of 500,000 ordinary jobs, all read slowly at once. */
const MAX_SPILL_BYTES = 4 * 2 ** 30
/** An account's dozen of them and more; the other half is for the others. */
const MAX_SPILL_BYTES_PER_ACCOUNT = MAX_SPILL_BYTES / 2

/** What a process is: workers look after the queue, everything else only puts jobs into it. */
interface Role {
  readonly supervise: boolean
}

/** Everything that a process opened; `close` lets go of it in reverse. */
export interface Runtime extends Parts {
  readonly queue: BossQueue
  readonly boss: PgBoss
  /** Names this process to others: what it takes out of a queue is known as its own. */
  readonly workerId: string
  /** Signs media URLs: the door that serves them checks with the same key. */
  readonly signingKey: Uint8Array
  /** Where callers reach this service: a setting, or what the API that listens has told. */
  publicUrl: string
  /** The runtime as a verb's first argument. */
  as(actor: Actor): Context
  /** Takes a few seconds for each part at the longest. False where one could not be closed, which is logged. */
  close(): Promise<boolean>
}

/** Composition root: secret -> database -> migrations -> bus -> queue -> catalog -> storage. */
export async function openRuntime(settings: Settings, log: Log, role: Role): Promise<Runtime> {
  const closers: Closer[] = []
  const close = () => closeInTurn(closers, closingLimit(settings), log)
  try {
    openDataDirectory(settings.dataDir)
    const keys = openKeys(settings)
    const { db, bus } = await openData(settings, log, closers)
    const boss = await openBoss(db, log, role.supervise)
    closers.push({ what: 'the queue', close: () => boss.stop({ graceful: false, close: false }) })
    const queue = bossQueue(boss, bus)
    const catalog = openCatalog(db, (snapshot) => prepareQueues(queue, snapshot))
    const common = { settings, log, db, bus, catalog, queue, boss, ...keys, now: () => new Date() }
    const waiting = openWaiting(common, () => runtime, closers)
    const runtime: Runtime = {
      ...common,
      ...waiting,
      workerId: newId('wrk'),
      companion: openCompanion(settings.companion),
      presenter: { voiceJob: presentVoiceJob },
      signIns: openSignInThrottle(),
      publicUrl: settings.publicUrl ?? `http://${settings.host}:${settings.port}`,
      storage: openStorage(settings, keys.signingKey, () => runtime.publicUrl),
      as: (actor) => ({ ...runtime, actor }),
      close,
    }
    closers.push({ what: 'the storage', close: () => runtime.storage.close() })
    await followCatalog(runtime)
    await installEndpoint(runtime.as({ kind: 'system' }))
    if (settings.publicUrl === null) await readPublicUrl(runtime)
    return runtime
  } catch (error) {
    await close()
    throw error
  }
}

/** What each part may take to close: by then nothing works with it any more. */
const closingLimit = ({ shutdownSeconds }: Settings): number =>
  Math.min(Math.max(shutdownSeconds, 1), MAX_CLOSING_SECONDS) * 1000

/** What the secret is good for: URLs of media, secrets of webhooks. */
function openKeys({ secretKey, oldSecretKey, dataDir }: Settings) {
  const secret = loadSecretKey(secretKey, dataDir)
  const old = oldSecretKey === null ? [] : [deriveKey(oldSecretKey, 'webhook-secrets')]
  return {
    signingKey: deriveKey(secret, 'media-urls'),
    vault: openVault([deriveKey(secret, 'webhook-secrets'), ...old]),
  }
}

/** The database, brought up to date, and the bus over it. */
async function openData({ databaseUrl, dataDir }: Settings, log: Log, closers: Closer[]) {
  const embedded = databaseUrl === null ? await openEmbedded(dataDir, log) : null
  if (embedded !== null) closers.push({ what: 'the embedded database', close: () => embedded.close() })
  const db = openDatabase(databaseUrl ?? (embedded as Embedded).url, log)
  closers.push({ what: 'the database', close: () => db.close() })
  await migrate(db, log).catch((error: unknown) => {
    throw databaseUrl === null ? error : explainUnusable(error, databaseUrl)
  })
  const bus = await openBus(db.url, log, embedded === null ? {} : { ensure: () => embedded.ensure() })
  closers.push({ what: 'the bus', close: () => bus.close() })
  return { db, bus }
}

/** What callers wait in or for: exports, changes of jobs, and whether they may still follow them. */
function openWaiting(
  { settings, db, log, now }: Pick<Parts, 'settings' | 'db' | 'log' | 'now'>,
  runtime: () => Runtime,
  closers: Closer[],
) {
  const spill = openSpill({
    dir: join(settings.dataDir, 'spill'),
    maxBytes: MAX_SPILL_BYTES,
    maxBytesPerOwner: MAX_SPILL_BYTES_PER_ACCOUNT,
  })
  closers.push({ what: 'exports', close: () => spill.close() })
  const callers = openCallerWatch({ db, log, now })
  const jobFeed = openJobFeed(runtime, callers)
  closers.push({ what: 'subscriptions', close: async () => jobFeed.close() })
  return { spill, exportLane: openExportLane(), callers, jobFeed }
}

const openStorage = ({ s3, dataDir }: Settings, signingKey: Uint8Array, publicUrl: () => string): Storage =>
  s3 === null ? openDisk({ dir: join(dataDir, 'artifacts'), publicUrl, signingKey }) : openS3(s3, s3)

/** Keeps the catalog as it is in the database. */
async function followCatalog(runtime: Runtime): Promise<void> {
  const refresh = async (): Promise<void> => {
    try {
      await runtime.catalog.reload()
    } catch (error) {
      runtime.log.warn({ err: (error as Error).message }, 'the catalog could not be read; trying again')
      setTimeout(() => void refresh(), CATALOG_RETRY_MS).unref()
    }
  }
  await runtime.bus.listen(CATALOG_CHANNEL, refresh, refresh)
  await runtime.catalog.reload()
}

/** A queue for every pool that an endpoint names, before anybody can submit to it. */
async function prepareQueues(queue: BossQueue, { endpoints }: CatalogSnapshot): Promise<void> {
  const pools = new Set([...endpoints.values()].map(poolOf))
  const kinds = [WEBHOOK_KIND, ...[...pools].map(voiceKind), GENERATION_KIND]
  await Promise.all(kinds.map((kind) => queue.prepare(kind)))
}
