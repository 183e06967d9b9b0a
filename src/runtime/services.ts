import type { Actor } from '../access/actor.ts'
import type { AudioThreads } from '../audio/audio-threads.ts'
import type { Recordings } from '../audio/recordings.ts'
import type { KeyUses } from '../callers/authenticate.ts'
import type { CallerWatch } from '../callers/caller-watch.ts'
import type { Subscriptions } from '../callers/subscriptions.ts'
import type { Companion } from '../companion/companion.ts'
import type { Parts } from '../context/context.ts'
import type { ExportQueue } from '../jobs/export/export-queue.ts'
import type { Spill } from '../jobs/export/spill.ts'
import type { DeliveryPort } from '../jobs/lifecycle/end-jobs.ts'
import type { AccountFeed } from '../jobs/live/account-feed.ts'
import type { FleetFeed } from '../jobs/live/fleet-feed.ts'
import type { JobFeed } from '../jobs/live/job-feed.ts'
import type { SpeechUrls } from '../jobs/sign-outputs.ts'
import type { Lexicons } from '../lexicon/account-lexicon.ts'
import type { StoreWatch } from '../storage/store-watch.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import type { SignInThrottle } from '../users/sign-in.ts'
import type { KeptTexts } from '../voice/open-text/kept-texts.ts'
import type { TextWaits } from '../voice/open-text/text-waits.ts'
import type { SpeechRelay } from '../voice/speech-relay.ts'
import type { TrialEngines } from '../voice/trials/trial-engines.ts'
import type { Samples } from '../voice/trials/voice-sample.ts'
import type { DeliveryFeed } from '../webhooks/delivery-feed.ts'

export interface Services extends Parts, MeasuredParts {
  /** A worker runs in this process, with its data directory. */
  readonly hasWorker: boolean
  /** Base of every URL that callers receive. */
  readonly publicUrl: string
  readonly speechUrls: SpeechUrls
  readonly storeWatch: StoreWatch
  readonly audio: AudioThreads
  readonly speechRelay: SpeechRelay
  readonly textWaits: TextWaits
  readonly keptTexts: KeptTexts
  readonly lexicons: Lexicons
  readonly recordings: Recordings
  readonly spill: Spill
  readonly exportQueue: ExportQueue
  readonly jobFeed: JobFeed
  readonly accountFeed: AccountFeed
  readonly deliveryFeed: DeliveryFeed
  readonly fleetFeed: FleetFeed
  readonly callers: CallerWatch
  readonly keyUses: KeyUses
  readonly subscriptions: Subscriptions
  readonly companion: Companion
  readonly deliveries: DeliveryPort
  readonly signIns: SignInThrottle
  readonly trialEngines: TrialEngines
  readonly samples: Samples
}

/** The context that APIs pass to verbs; each verb declares the parts that it needs. */
export interface ServiceContext extends Services {
  readonly actor: Actor
}
