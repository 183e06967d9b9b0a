/** Why a job is aborted that its worker gives back on purpose: the job has no part in it. */
export class Stopping extends Error {
  override readonly name = 'Stopping'

  constructor() {
    super('the worker is stopping')
  }
}
