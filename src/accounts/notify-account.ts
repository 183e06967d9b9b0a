import type { Parts } from '../context/context.ts'

/** The payload is the account id; then, each after a space, the id of a changed delivery and of its job, if they are known. */
export const ACCOUNT_CHANNEL = 'sonant_account'

/** Notifies every process that a balance or a delivery has changed. Call it after the commit. */
export function notifyAccount(
  { notifier }: Pick<Parts, 'notifier'>,
  accountId: string,
  ...delivery: [] | [deliveryId: string, jobId?: string | null]
): void {
  const payload = [accountId, ...delivery].filter((id) => id != null).join(' ')
  notifier.notify(ACCOUNT_CHANNEL, payload).catch(() => undefined)
}
