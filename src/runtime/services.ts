import type { Actor } from '../access/actor.ts'
import type { AudioThreads } from '../audio/audio-threads.ts'
import type { Recordings } from '../audio/recordings.ts'
import type { CallerWatch } from '../callers/caller-watch.ts'
import type { KeyUses } from '../callers/key-uses.ts'
import type { Subscriptions } from '../callers/subscriptions.ts'
import type { Companion } from '../companion/companion.ts'
import type { Parts } from '../context/context.ts'
import type { ExportQueue } from '../jobs/export/export-queue.ts'
import type { Spill } from '../jobs/export/spill.ts'
import type { DeliveryPort } from '../jobs/lifecycle/job-end.ts'
import type { AccountFeed } from '../jobs/live/account-feed.ts'
import type { FleetFeed } from '../jobs/live/fleet-feed.ts'
import type { JobFeed } from '../jobs/live/job-feed.ts'
import type { SpeechUrls } from '../jobs/speech-urls.ts'
import type { Lexicons } from '../lexicon/lexicons.ts'
import type { StoreWatch } from '../storage/store-watch.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import type { SignInThrottle } from '../users/sign-in-throttle.ts'
import type { SecretVault } from '../values/secret-vault.ts'
import type { SpeechRelay } from '../voice/speech-relay.ts'
import type { TrialEngines } from '../voice/trials/trial-engines.ts'
import type { Samples } from '../voice/trials/voice-sample.ts'
import type { DeliveryFeed } from '../webhooks/live/delivery-feed.ts'

/** Everything that any verb declares that it needs. */
export interface Services extends Parts, MeasuredParts {
  /** Where callers reach this service: the start of every address that is handed out. */
  readonly publicUrl: string
  readonly speechUrls: SpeechUrls
  /** Whether the store of artifacts takes files now. */
  readonly storeWatch: StoreWatch
  /** Encodes and decodes audio. */
  readonly audio: AudioThreads
  /** Brings speech from workers to listeners of the same process. */
  readonly speechRelay: SpeechRelay
  /** Lexicons of accounts, compiled. */
  readonly lexicons: Lexicons
  /** Reads what accounts upload. */
  readonly recordings: Recordings
  /** Where exports wait for slow readers, and for each other. */
  readonly spill: Spill
  readonly exportQueue: ExportQueue
  /** How jobs change, for subscribers. */
  readonly jobFeed: JobFeed
  /** How balances and counts change. */
  readonly accountFeed: AccountFeed
  readonly deliveryFeed: DeliveryFeed
  readonly fleetFeed: FleetFeed
  /** Notices the end of keys and sessions that connections depend on. */
  readonly callers: CallerWatch
  /** Notes when keys were last used. */
  readonly keyUses: KeyUses
  /** What callers follow. */
  readonly subscriptions: Subscriptions
  readonly companion: Companion
  readonly deliveries: DeliveryPort
  readonly vault: SecretVault
  readonly signIns: SignInThrottle
  /** Speaks checks and samples. */
  readonly trialEngines: TrialEngines
  readonly samples: Samples
}

/** What doors hand to every verb: each takes of it what its own context declares. */
export interface ServiceContext extends Services {
  readonly actor: Actor
}
