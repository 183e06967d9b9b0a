/** Why a job is aborted that its worker gives back on purpose: the job has no part in it. */
export class Stopping extends Error {
  override readonly name: string = 'Stopping'

  constructor(message = 'the worker is stopping') {
    super(message)
  }
}

/** Why a job is put back that was taken ahead: its turn at the server does not come soon. */
export class NotSoon extends Stopping {
  override readonly name = 'NotSoon'

  constructor() {
    super('the turn at the server does not come soon')
  }
}

/** Why a job is given back that is at a server which others share: they may take this worker for dead. */
export class CutOff extends Stopping {
  override readonly name = 'CutOff'

  constructor() {
    super('the database has not heard of this worker for too long')
  }
}
