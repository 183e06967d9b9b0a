import type { Command } from 'commander'
import { actingFor } from '../acting-for.ts'
import { operatorCommand } from '../run-command.ts'

export function addTestCommand(webhooks: Command): void {
  operatorCommand<{ account: string }>(
    webhooks
      .command('test')
      .description("send a delivery about a job that never was to the account's URL, signed like any other")
      .requiredOption('--account <account>', 'id or name'),
    async (ctx, { account }) => {
      const { sendTestWebhook } = await import('../../webhooks/delivery/send-test-webhook.ts')
      const id = await sendTestWebhook(await actingFor(ctx, account))
      return { json: { delivery_id: id, queued: true }, text: `${id} is queued` }
    },
    ['queue'],
  )
}
