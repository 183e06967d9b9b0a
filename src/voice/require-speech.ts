import { audioGone, ServiceError } from '../errors/service-error.ts'
import type { Job } from '../jobs/job-shape.ts'
import type { StoredOutput } from '../jobs/sign-outputs.ts'

const RETRY_AFTER_SECONDS = 1

export const noSpeech = (): ServiceError =>
  new ServiceError('NOT_FOUND', 'Submit the text again: the job has no audio.')

/** @throws NOT_FOUND if the job failed, JOB_UNFINISHED if it may still complete, GONE if the file was deleted */
export function requireSpeech({ status, storedOutputs }: Job): StoredOutput {
  if (status === 'queued' || status === 'processing')
    throw new ServiceError('JOB_UNFINISHED', 'Wait for the seconds in Retry-After: the job is not completed yet.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  const speech = storedOutputs?.find(({ output }) => output === 'audio')
  if (status === 'failed' || speech === undefined) throw noSpeech()
  if (speech.deletedAt != null) throw audioGone()
  return speech
}

const LISTEN_AGAIN_SECONDS = 5

/** @param why for the log */
export const listeningEnded = (why: string): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Try again later: the audio cannot be read now.', {
    retryAfterSeconds: LISTEN_AGAIN_SECONDS,
    cause: new Error(why),
  })
