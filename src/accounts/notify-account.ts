import type { Parts } from '../context/context.ts'

/** The payload is the account id, then a space and the id of a changed delivery, if there is one. */
export const ACCOUNT_CHANNEL = 'sonant_account'

/** Notifies every process that a balance or a delivery has changed. Call it after the commit. */
export function notifyAccount({ notifier }: Pick<Parts, 'notifier'>, accountId: string, deliveryId?: string): void {
  const payload = deliveryId === undefined ? accountId : `${accountId} ${deliveryId}`
  notifier.notify(ACCOUNT_CHANNEL, payload).catch(() => undefined)
}
