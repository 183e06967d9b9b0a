import type { Command } from 'commander'
import { invalidRequest } from '../../errors/service-error.ts'
import type { DeliveryView } from '../../webhooks/history/delivery-view.ts'
import { actingFor } from '../acting-for.ts'
import { size } from '../options.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'
import { addListenCommand } from './webhooks-listen.ts'
import { addTestCommand } from './webhooks-test.ts'
import { addVerifyCommand } from './webhooks-verify.ts'

const ACCOUNT = ['--account <account>', 'id or name'] as const

const COLUMNS: readonly Column<DeliveryView>[] = [
  { head: 'delivery', cell: ({ id }) => id },
  { head: 'job', cell: ({ jobId }) => jobId },
  { head: 'created (UTC)', cell: ({ createdAt }) => createdAt.toISOString() },
  { head: 'state', cell: ({ state }) => state },
  { head: 'outcome', cell: ({ outcome }) => outcome },
  { head: 'attempts', cell: ({ attempts }) => attempts.length },
  { head: 'url', cell: ({ url }) => url },
]

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('webhooks of an account: URL, secret, deliveries')
  addSettings(webhooks)
  addDeliveries(webhooks)
  addVerifyCommand(webhooks)
  addTestCommand(webhooks)
  addListenCommand(webhooks)
}

function addSettings(webhooks: Command): void {
  operatorCommand<{ account: string; clear?: boolean }>(
    webhooks
      .command('set-url')
      .description('set the URL of deliveries for submissions that name none')
      .requiredOption(...ACCOUNT)
      .option('--clear', 'remove its URL')
      .argument('[url]', 'https://…'),
    async (ctx, { account, clear }, [url]) => {
      if ((url === undefined) !== (clear === true)) throw invalidRequest('Give either a URL or --clear.')
      const { setWebhookUrl } = await import('../../webhooks/set-webhook-url.ts')
      const owner = await actingFor(ctx, account)
      const set = await setWebhookUrl(owner, { url: url ?? null })
      return {
        json: { account_id: owner.actor.accountId, webhook_url: set.webhookUrl },
        text: set.webhookUrl ?? 'No URL: deliveries go where submissions say.',
      }
    },
  )
  operatorCommand<{ account: string }>(
    webhooks
      .command('rotate')
      .description('issue a new signing secret and show it, this once')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }) => {
      const { rotateWebhookSecret } = await import('../../webhooks/signing/rotate-webhook-secret.ts')
      const secret = await rotateWebhookSecret(await actingFor(ctx, account))
      return {
        json: { secret },
        text: `${secret}\nThe one before it signs for 24 hours more; any older one has stopped.`,
      }
    },
  )
}

function addDeliveries(webhooks: Command): void {
  operatorCommand<{ account: string; job?: string; outcome?: string; first?: string; after?: string }>(
    webhooks
      .command('deliveries')
      .description('list deliveries and their attempts, newest first')
      .requiredOption(...ACCOUNT)
      .option('--job <id>', 'only of this job')
      .option('--outcome <outcome>', 'only with this outcome, such as succeeded or status_503')
      .option('--first <number>', 'how many, 1 to 100')
      .option('--after <id>', 'only older ones than this delivery'),
    async (ctx, options) => {
      const { webhookDeliveries } = await import('../../webhooks/history/webhook-deliveries.ts')
      const { viewOf } = await import('../../webhooks/history/delivery-view.ts')
      const { edges, pageInfo } = await webhookDeliveries(await actingFor(ctx, options.account), {
        jobId: options.job,
        outcome: options.outcome,
        first: size('--first', options.first),
        after: options.after,
      })
      const deliveries = edges.map(({ node }) => viewOf(node, ctx))
      const items = deliveries.map(toJson)
      return {
        json: { items, deliveries: items, has_more: pageInfo.hasNextPage },
        text: [toTable(COLUMNS, deliveries), ...hintAtMore(pageInfo.hasNextPage, deliveries)].join('\n'),
      }
    },
  )
  operatorCommand(
    webhooks.command('redeliver').description('send a finished delivery again').argument('<delivery-id>', 'msg_…'),
    async (ctx, _options, [id = '']) => {
      const { deliveryOwner } = await import('../../webhooks/delivery/delivery-owner.ts')
      const { redeliverWebhook } = await import('../../webhooks/delivery/redeliver-webhook.ts')
      await redeliverWebhook(await actingFor(ctx, await deliveryOwner(ctx, { id })), { id })
      return { json: { delivery_id: id, queued: true }, text: `${id} is queued` }
    },
    ['queue'],
  )
}

const toJson = (delivery: DeliveryView) => ({
  delivery_id: delivery.id,
  job_id: delivery.jobId,
  test: delivery.kind === 'test',
  url: delivery.url,
  state: delivery.state,
  outcome: delivery.outcome,
  created_at: delivery.createdAt,
  finished_at: delivery.finishedAt,
  next_attempt_at: delivery.nextAttemptAt,
  attempts: delivery.attempts.map((attempt) => ({
    round: attempt.round,
    number: attempt.number,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    response_status: attempt.responseStatus,
    response: attempt.response,
  })),
})

const hintAtMore = (more: boolean, shown: readonly DeliveryView[]): string[] =>
  more ? [`There are more: --after ${shown.at(-1)?.id}`] : []
