import type { Parts } from '../context/context.ts'

/** Payload: the account id, and where a webhook delivery of it has changed, a space and the id of that. */
export const ACCOUNT_CHANNEL = 'sonant_account'

/**
 * Notifies every process that an account's balance, or one of its deliveries, has changed; to be called after the commit. Best effort:
 * subscribers read both again after a while. Changes by its jobs are notified with these.
 */
export function notifyAccount({ notifier }: Pick<Parts, 'notifier'>, accountId: string, deliveryId?: string): void {
  const payload = deliveryId === undefined ? accountId : `${accountId} ${deliveryId}`
  notifier.notify(ACCOUNT_CHANNEL, payload).catch(() => undefined)
}
