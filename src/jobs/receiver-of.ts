/** SQL of where the end of a job is delivered to: the URL of its submission, else its account's; null without either. @param job its table */
export const receiverOf = (job: string): string =>
  `coalesce(${job}.webhook_url, (select account.webhook_url from account where account.id = ${job}.account_id))`
