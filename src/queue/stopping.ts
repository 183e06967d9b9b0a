import type { AttemptEnding } from './attempt-endings.ts'

/** Why a job is aborted that its worker releases on purpose: the cause is not the job. */
export class Stopping extends Error {
  override readonly name: string = 'Stopping'
  readonly ending: AttemptEnding = 'stopped'
  /** No failure in a trace either. */
  readonly isPlanned = true

  constructor(message = 'the worker is stopping') {
    super(message)
  }
}

/** Why a job is released that was claimed ahead: its server has no capacity for it soon, or its worker is stopping by now. */
export class NotSoon extends Stopping {
  override readonly name = 'NotSoon'
  override readonly ending = 'no_capacity'

  constructor() {
    super('there is no capacity for the job soon')
  }
}

/**
 * Why a job is delivered again whose worker has lost its server. It counts as an attempt: the job may be what ended the server.
 * The message is the cause of a job that is not tried again.
 */
export class ServerLost extends Error {
  override readonly name = 'ServerLost'
}

/** Why a job is released whose files cannot be stored now, by this worker at least. */
export class StoreAway extends Stopping {
  override readonly name = 'StoreAway'
  override readonly ending = 'store_away'
}

/** Why a job is released that is at a server which other workers share: they may take this worker for dead. */
export class CutOff extends Stopping {
  override readonly name = 'CutOff'
  override readonly ending = 'cut_off'

  constructor() {
    super('the database has not heard of this worker for too long')
  }
}
