import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { AudioThreads } from '../audio/audio-threads.ts'
import { openRecordings } from '../audio/recordings.ts'
import { KeyUses } from '../callers/authenticate.ts'
import { openCallerWatch } from '../callers/caller-watch.ts'
import { Subscriptions } from '../callers/subscriptions.ts'
import type { Closer } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import type { Parts } from '../context/context.ts'
import { deriveKey, loadSecretKey, openWebhookVault } from '../context/secret-key.ts'
import { openDatabaseClock } from '../db/database-clock.ts'
import { explainUnusable } from '../db/external-database.ts'
import { migrate, requireVersion } from '../db/migrations/migrate.ts'
import { openNotifier } from '../db/postgres-notifier.ts'
import { watchDirect, watchPool } from '../db/watch-pool.ts'
import { ExportQueue } from '../jobs/export/export-queue.ts'
import { openSpill } from '../jobs/export/spill.ts'
import { AccountFeed } from '../jobs/live/account-feed.ts'
import { FleetFeed } from '../jobs/live/fleet-feed.ts'
import { JobFeed } from '../jobs/live/job-feed.ts'
import type { SpeechUrls } from '../jobs/sign-outputs.ts'
import { openLexicons } from '../lexicon/account-lexicon.ts'
import { openDisk } from '../storage/disk.ts'
import { measuredStorage } from '../storage/measured-storage.ts'
import { openS3 } from '../storage/s3.ts'
import { signMediaUrl, type UrlSigner } from '../storage/sign-url.ts'
import type { Storage } from '../storage/storage.ts'
import { StoreWatch } from '../storage/store-watch.ts'
import { type MeasuredParts, NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import { openDataDirectory } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'
import { KeptTexts } from '../voice/open-text/kept-texts.ts'
import { TextWaits } from '../voice/open-text/text-waits.ts'
import { SpeechRelay } from '../voice/speech-relay.ts'
import { TrialEngines } from '../voice/trials/trial-engines.ts'
import { DeliveryFeed } from '../webhooks/delivery-feed.ts'
import { openDeliveryPort } from '../webhooks/delivery-port.ts'
import { type OpenedServer, openServer } from './open-server.ts'
import type { Services } from './services.ts'

const MAX_CLOSING_SECONDS = 5
const MAX_SPILL_BYTES = 4 * 2 ** 30
const MAX_SPILL_BYTES_PER_ACCOUNT = MAX_SPILL_BYTES / 2

export const closingLimit = ({ shutdownSeconds }: Settings): number =>
  Math.min(Math.max(shutdownSeconds, 1), MAX_CLOSING_SECONDS) * 1000

export type Whole = Services

interface Opening {
  readonly telemetry?: Telemetry | undefined
  /** Applies no migrations, for commands that only look. */
  readonly asItIs?: boolean
  readonly server?: OpenedServer | undefined
}

/** Opens the parts that a service and a single command share, without queue and catalog. */
export async function openFoundation(
  settings: Settings,
  log: Log,
  closers: Closer[],
  whole: () => Whole,
  { telemetry = NO_TELEMETRY, asItIs = false, server }: Opening = {},
) {
  openDataDirectory(settings.dataDir)
  const keys = openKeys(settings, asItIs)
  const { db, notifier, now } = await openData(settings, log, closers, { telemetry, asItIs, server })
  const common = { settings, log, telemetry, db, notifier, ...keys, now }
  const waiting = openWaiting(common, whole, closers)
  const signer = { signingKey: keys.signingKey, publicUrl: () => whole().publicUrl, cell: settings.cell }
  const store = openStorage(settings, signer, telemetry)
  const storeWatch = new StoreWatch(store, { store: settings.s3 === null ? 'disk' : 's3', log, telemetry })
  closers.push({ what: 'the storage', close: async () => storeWatch.close() })
  const deliveries = openDeliveryPort(whole)
  const trials = openTrials(common, closers)
  const speechUrls = openSpeechUrls(signer)
  return {
    ...common,
    ...waiting,
    ...trials,
    textWaits: new TextWaits(notifier),
    keptTexts: new KeptTexts(common),
    deliveries,
    storage: storeWatch.storage,
    storeWatch,
    speechUrls,
    publicUrl: guessPublicUrl(settings),
  }
}

const openSpeechUrls = (signer: UrlSigner): SpeechUrls => ({
  sign: (key, contentType, now) => signMediaUrl(signer, { key, contentType, now }),
})

const guessPublicUrl = ({ publicUrl, host, port }: Settings): string => publicUrl ?? `http://${host}:${port}`

function openKeys({ secretKey, oldSecretKey, dataDir }: Settings, asItIs: boolean) {
  const secret = loadSecretKey(secretKey, dataDir, !asItIs)
  return { signingKey: deriveKey(secret, 'media-urls'), vault: openWebhookVault(secret, oldSecretKey) }
}

async function openData(
  settings: Settings,
  log: Log,
  closers: Closer[],
  { telemetry, asItIs, server }: Opening & { readonly telemetry: Telemetry },
) {
  const { databaseUrl, migrate: apply } = settings
  const { db, embedded } = server ?? (await openServer(settings, log, closers))
  watchPool(db.pool, 'work', telemetry)
  watchPool(db.readPool, 'read', telemetry)
  watchDirect(db.direct, telemetry)
  const ready = asItIs ? requireVersion(db.pool) : migrate(db, log, { apply })
  await ready.catch((error: unknown) => {
    throw databaseUrl === null ? error : explainUnusable(error, db.url)
  })
  const clock = await openDatabaseClock(db.pool, log)
  closers.push({ what: 'the clock', close: async () => clock.close() })
  const notifier = await openNotifier(db.direct, log, {
    ...(embedded !== null && { ensure: () => embedded.ensure() }),
    onLost: () => telemetry.count('db_connection_losses_total', { connection: 'bus' }),
  })
  telemetry.gauge('bus_connected', () => [{ labels: {}, value: Number(notifier.connected) }])
  closers.push({ what: 'the notifier', close: () => notifier.close() })
  return { db, notifier, now: clock.now }
}

function openWaiting(
  { settings, db, log, now, telemetry }: Pick<Parts, 'settings' | 'db' | 'log' | 'now'> & MeasuredParts,
  whole: () => Whole,
  closers: Closer[],
) {
  const spill = openSpill({
    dir: join(settings.dataDir, 'spill'),
    maxBytes: MAX_SPILL_BYTES,
    maxBytesPerOwner: MAX_SPILL_BYTES_PER_ACCOUNT,
  })
  closers.push({ what: 'exports', close: () => spill.close() })
  const callers = openCallerWatch({ db, log, now })
  const keyUses = new KeyUses({ db, log })
  closers.push({ what: 'the uses of keys', close: async () => keyUses.close() })
  const subscriptions = new Subscriptions(callers)
  closers.push({ what: 'subscriptions', close: async () => subscriptions.close() })
  const feeds = openFeeds(whole, subscriptions)
  const audio = new AudioThreads(availableParallelism())
  closers.push({ what: 'the audio threads', close: () => audio.close() })
  const exportQueue = new ExportQueue()
  telemetry.gauge('exports_open', () => [{ labels: {}, value: exportQueue.open }])
  telemetry.gauge('spill_bytes', () => [{ labels: {}, value: spill.bytes }])
  return {
    spill,
    exportQueue,
    callers,
    keyUses,
    subscriptions,
    ...feeds,
    audio,
    speechRelay: new SpeechRelay(),
    recordings: openRecordings(),
    lexicons: openLexicons(),
  }
}

function openTrials(parts: Pick<Parts, 'settings' | 'log' | 'vault'>, closers: Closer[]) {
  const trialEngines = new TrialEngines(parts)
  closers.push({ what: 'the engines of checks and samples', close: () => trialEngines.close() })
  return { trialEngines, samples: new Map<string, Promise<Uint8Array>>() }
}

const openFeeds = (whole: () => Whole, subscriptions: Subscriptions) => ({
  jobFeed: new JobFeed(whole, subscriptions),
  accountFeed: new AccountFeed(whole, subscriptions),
  deliveryFeed: new DeliveryFeed(whole, subscriptions),
  fleetFeed: new FleetFeed(whole, subscriptions),
})

export const openStore = (settings: Settings): Storage =>
  openStorage(settings, { signingKey: new Uint8Array(), publicUrl: () => '' }, NO_TELEMETRY)

function openStorage({ s3, dataDir }: Settings, signer: UrlSigner, telemetry: Telemetry): Storage {
  if (s3 === null) {
    const disk = openDisk({ dir: join(dataDir, 'artifacts'), ...signer })
    return measuredStorage(disk, 'disk', telemetry)
  }
  const bucket = measuredStorage(openS3(s3, s3), 's3', telemetry)
  // The bucket checks expiry by its own clock, so the machine's clock signs, not the database's.
  const signUrl: Storage['signUrl'] = (key, { isDeleted, ...options }) =>
    isDeleted === true
      ? signMediaUrl(signer, { key, ...options })
      : bucket.signUrl(key, { ...options, now: new Date() })
  return { ...bucket, signUrl }
}
