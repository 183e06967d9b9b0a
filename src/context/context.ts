import type { Actor } from '../access/actor.ts'
import type { Database } from '../db/database.ts'
import type { Notifier } from '../db/notifier.ts'
import type { Queue } from '../queue/queue.ts'
import type { Storage } from '../storage/storage.ts'
import type { Log } from '../values/log.ts'
import type { SecretVault } from '../values/secret-vault.ts'
import type { Catalog } from './catalog-snapshot.ts'
import type { Settings } from './config.ts'

/** The parts of a running service that every verb may use; a verb's own context declares more. */
export interface Parts {
  readonly settings: Settings
  readonly log: Log
  readonly db: Database
  readonly notifier: Notifier
  readonly queue: Queue
  readonly storage: Storage
  readonly catalog: Catalog
  readonly vault: SecretVault
  now(): Date
}

export interface Context extends Parts {
  readonly actor: Actor
}
