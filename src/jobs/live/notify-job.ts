import type { Parts } from '../../context/context.ts'

/** Payload: account id, space, job id. */
export const JOB_CHANNEL = 'sonant_job'

/** Called after the commit, because NOTIFY serialises commits. A notification may be lost. */
export function notifyJob(
  { notifier }: Pick<Parts, 'notifier'>,
  job: { readonly accountId: string; readonly jobId: string },
): void {
  notifier.notify(JOB_CHANNEL, `${job.accountId} ${job.jobId}`).catch(() => undefined)
}
