import type { VoiceJobView } from '../../jobs/voice-job.ts'

/**
 * Knows the wire shape of a terminal job: the REST door's own presenter, handed in by the runtime, because a callback's body is what
 * polling returns (spec 6.1) and nouns do not know the doors.
 */
export interface CallbackPresenter {
  /** An object of JSON values, its fields in the order in which polling writes them. */
  voiceJob(job: VoiceJobView): object
}
