import type { Parts } from '../../context/context.ts'

/** Payload: account id, space, job id. */
export const JOB_CHANNEL = 'sonant_job'

/**
 * Notifies every process that a job has changed; to be called after the commit, since NOTIFY inside of it would make commits wait for each
 * other. Best effort: a subscriber reads the job's state when it connects, and whenever messages may have been missed.
 */
export function notifyJob(
  { notifier }: Pick<Parts, 'notifier'>,
  job: { readonly accountId: string; readonly jobId: string },
): void {
  notifier.notify(JOB_CHANNEL, `${job.accountId} ${job.jobId}`).catch(() => undefined)
}
