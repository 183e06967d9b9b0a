import type { AttemptEnding } from './attempt-endings.ts'

/** Releases a job that is not at fault. */
export class Stopping extends Error {
  override readonly name: string = 'Stopping'
  readonly ending: AttemptEnding = 'stopped'
  readonly isPlanned = true

  constructor(message = 'the worker is stopping') {
    super(message)
  }
}

export class NotSoon extends Stopping {
  override readonly name = 'NotSoon'
  override readonly ending = 'no_capacity'

  constructor() {
    super('there is no capacity for the job soon')
  }
}

/** The attempt counts, because the job may have ended the server. */
export class ServerLost extends Error {
  override readonly name = 'ServerLost'
}

export class StoreAway extends Stopping {
  override readonly name = 'StoreAway'
  override readonly ending = 'store_away'
}

/** Other workers may fill the servers that they share. */
export class CutOff extends Stopping {
  override readonly name = 'CutOff'
  override readonly ending = 'cut_off'

  constructor() {
    super('the database has not heard of this worker for too long')
  }
}
