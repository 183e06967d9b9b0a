import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openAudioThreads } from '../audio/audio-threads.ts'
import { openRecordings } from '../audio/recordings.ts'
import { openCallerWatch } from '../callers/caller-watch.ts'
import { KeyUses } from '../callers/key-uses.ts'
import { Subscriptions } from '../callers/subscriptions.ts'
import type { Closer } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import type { Parts } from '../context/context.ts'
import { deriveKey, loadSecretKey, openWebhookVault } from '../context/secret-key.ts'
import { openDatabaseClock } from '../db/database-clock.ts'
import { explainUnusable } from '../db/explain-unusable.ts'
import { migrate } from '../db/migrations/migrate.ts'
import { requireVersion } from '../db/migrations/minimum-version.ts'
import { openNotifier } from '../db/postgres-notifier.ts'
import { watchDirect, watchPool } from '../db/watch-pool.ts'
import { ExportQueue } from '../jobs/export/export-queue.ts'
import { openSpill } from '../jobs/export/spill.ts'
import { AccountFeed } from '../jobs/live/account-feed.ts'
import { FleetFeed } from '../jobs/live/fleet-feed.ts'
import { JobFeed } from '../jobs/live/job-feed.ts'
import type { SpeechUrls } from '../jobs/speech-urls.ts'
import { openLexicons } from '../lexicon/lexicons.ts'
import { openDisk } from '../storage/disk.ts'
import { measuredStorage } from '../storage/measured-storage.ts'
import { openS3 } from '../storage/s3.ts'
import { signMediaUrl } from '../storage/sign-url.ts'
import type { Storage } from '../storage/storage.ts'
import { StoreWatch } from '../storage/store-watch.ts'
import { type MeasuredParts, NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import { openDataDirectory } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'
import { SpeechRelay } from '../voice/speech-relay.ts'
import { TrialEngines } from '../voice/trials/trial-engines.ts'
import { openDeliveryPort } from '../webhooks/delivery-port.ts'
import { DeliveryFeed } from '../webhooks/live/delivery-feed.ts'
import { type OpenedServer, openServer } from './open-server.ts'
import type { Services } from './services.ts'

const MAX_CLOSING_SECONDS = 5
/** Some forty exports of 500,000 ordinary jobs, all read slowly at once. */
const MAX_SPILL_BYTES = 4 * 2 ** 30
/** An account's dozen of them and more; the other half is for the others. */
const MAX_SPILL_BYTES_PER_ACCOUNT = MAX_SPILL_BYTES / 2

/** What each part may take to close: by then nothing works with it any more. */
export const closingLimit = ({ shutdownSeconds }: Settings): number =>
  Math.min(Math.max(shutdownSeconds, 1), MAX_CLOSING_SECONDS) * 1000

/** What lasts when the rest is not open yet: needs the queue and the catalog only when it is used. */
export type Whole = Services

interface Opening {
  /** Takes note of what happens; absent: nothing does. */
  readonly telemetry?: Telemetry | undefined
  /** The schema is taken as it is found, with whatever is missing in it: for what only looks. */
  readonly asItIs?: boolean
  /** What its opener closes; absent: one of its own. */
  readonly server?: OpenedServer | undefined
}

/** The parts that a process and a single command have in common: none of them needs the queue or the catalog to be opened. */
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
  const store = openStorage(settings, keys.signingKey, () => whole().publicUrl, telemetry)
  const storeWatch = new StoreWatch(store, { store: settings.s3 === null ? 'disk' : 's3', log, telemetry })
  closers.push({ what: 'the storage', close: () => store.close().finally(() => storeWatch.close()) })
  const deliveries = openDeliveryPort(whole)
  const trials = openTrials(common, closers)
  const speechUrls = openSpeechUrls(keys.signingKey, () => whole().publicUrl)
  return {
    ...common,
    ...waiting,
    ...trials,
    deliveries,
    storage: storeWatch.storage,
    storeWatch,
    speechUrls,
    publicUrl: guessPublicUrl(settings),
  }
}

/** URLs that this service answers itself, also where files are in a bucket. */
const openSpeechUrls = (signingKey: Uint8Array, publicUrl: () => string): SpeechUrls => ({
  sign: (key, contentType, now) => signMediaUrl(publicUrl(), signingKey, { key, contentType, now }),
})

/** Where callers reach the service as long as no API has recorded it. */
const guessPublicUrl = ({ publicUrl, host, port }: Settings): string => publicUrl ?? `http://${host}:${port}`

/** What the secret is good for: URLs of media, secrets of webhooks. */
function openKeys({ secretKey, oldSecretKey, dataDir }: Settings, asItIs: boolean) {
  const secret = loadSecretKey(secretKey, dataDir, !asItIs)
  return { signingKey: deriveKey(secret, 'media-urls'), vault: openWebhookVault(secret, oldSecretKey) }
}

/** The database, brought up to date unless it is taken as it is, its clock, and the notifier over it. */
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

/** What callers wait in or for: exports, changes of jobs, whether they may still follow them, and audio in their format. */
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
  const audio = openAudioThreads(availableParallelism())
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

/** What speaks without a job. */
function openTrials(parts: Pick<Parts, 'settings' | 'log'>, closers: Closer[]) {
  const trialEngines = new TrialEngines(parts)
  closers.push({ what: 'the engines of checks and samples', close: () => trialEngines.close() })
  return { trialEngines, samples: new Map<string, Promise<Uint8Array>>() }
}

/** How things change, for subscribers. */
const openFeeds = (whole: () => Whole, subscriptions: Subscriptions) => ({
  jobFeed: new JobFeed(whole, subscriptions),
  accountFeed: new AccountFeed(whole, subscriptions),
  deliveryFeed: new DeliveryFeed(whole, subscriptions),
  fleetFeed: new FleetFeed(whole, subscriptions),
})

/** The store for what only moves files: it signs no URLs. */
export const openStore = (settings: Settings): Storage =>
  openStorage(settings, new Uint8Array(), () => '', NO_TELEMETRY)

function openStorage(
  { s3, dataDir }: Settings,
  signingKey: Uint8Array,
  publicUrl: () => string,
  telemetry: Telemetry,
): Storage {
  if (s3 === null) {
    const disk = openDisk({ dir: join(dataDir, 'artifacts'), publicUrl, signingKey })
    return measuredStorage(disk, 'disk', telemetry)
  }
  const bucket = measuredStorage(openS3(s3, s3), 's3', telemetry)
  // A bucket compares every request with a clock of its own: it gets the machine's, as for what is stored there.
  const signUrl: Storage['signUrl'] = (key, { isDeleted, ...options }) =>
    isDeleted === true
      ? signMediaUrl(publicUrl(), signingKey, { key, ...options })
      : bucket.signUrl(key, { ...options, now: new Date() })
  return { ...bucket, signUrl }
}
