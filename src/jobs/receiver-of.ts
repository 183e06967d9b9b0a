/**
 * SQL of a job's webhook URL; null without one.
 * @param job its table
 */
export const receiverOf = (job: string): string =>
  `coalesce(${job}.webhook_url, (select account.webhook_url from account where account.id = ${job}.account_id))`
