import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { invalidRequest } from '../errors.ts'
import { deliveryOwner } from '../webhooks/delivery-owner.ts'
import { redeliverWebhook } from '../webhooks/redeliver-webhook.ts'
import { rotateWebhookSecret } from '../webhooks/rotate-webhook-secret.ts'
import { setWebhookUrl } from '../webhooks/set-webhook-url.ts'
import { readCapture, verifyDelivery } from '../webhooks/verify-delivery.ts'
import { type DeliveryView, webhookDeliveries } from '../webhooks/webhook-deliveries.ts'
import { readWebhookSecret } from '../webhooks/webhook-secret.ts'
import { actingFor } from './acting-for.ts'
import { size, time } from './options.ts'
import { type Answer, answer, operatorCommand } from './run-command.ts'

const ACCOUNT = ['--account <account>', 'id or name'] as const

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('callbacks of an account')
  addSettings(webhooks)
  addDeliveries(webhooks)
  addVerify(webhooks)
}

function addSettings(webhooks: Command): void {
  operatorCommand<{ account: string; clear?: boolean }>(
    webhooks
      .command('set-url')
      .description('set where callbacks go when a submission names no URL')
      .requiredOption(...ACCOUNT)
      .option('--clear', 'send none')
      .argument('[url]', 'https://…'),
    async (ctx, { account, clear }, [url]) => {
      if ((url === undefined) !== (clear === true)) throw invalidRequest('Give either a URL or --clear.')
      const owner = await actingFor(ctx, account)
      const set = await setWebhookUrl(owner, { url: url ?? null })
      return {
        json: { account_id: owner.actor.accountId, webhook_url: set.url },
        text: set.url ?? 'No URL: callbacks go where submissions say.',
      }
    },
  )
  operatorCommand<{ account: string }>(
    webhooks
      .command('rotate')
      .description('issue a new signing secret and show it, this once')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }) => {
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
      const { edges, pageInfo } = await webhookDeliveries(await actingFor(ctx, options.account), {
        jobId: options.job,
        outcome: options.outcome,
        first: size('--first', options.first),
        after: options.after,
      })
      const deliveries = edges.map(({ node }) => node)
      return {
        json: { deliveries: deliveries.map(toJson), has_more: pageInfo.hasNextPage },
        text: [...deliveries.map(toLine), ...hintAtMore(pageInfo.hasNextPage, deliveries)].join('\n') || 'none',
      }
    },
  )
  operatorCommand(
    webhooks.command('redeliver').description('send a finished delivery again').argument('<delivery-id>', 'msg_…'),
    async (ctx, _options, [id = '']) => {
      await redeliverWebhook(await actingFor(ctx, await deliveryOwner(ctx, { id })), { id })
      return { json: { delivery_id: id, queued: true }, text: `${id} is queued` }
    },
  )
}

/** Needs no service: receivers run it where their captures are. */
function addVerify(webhooks: Command): void {
  const verify = webhooks
    .command('verify')
    .description('check a captured delivery (headers, an empty line, the raw body) against a secret')
    .argument('<file>', 'the capture')
    .option('--secret <secret>', 'whsec_…')
    .option('--secret-file <file>', 'a file that holds it')
    .option('--at <time>', 'as of this RFC 3339 time instead of now')
    .option('--json', 'print one JSON document and nothing else')
  verify.action(async (file: string) => {
    const options = verify.opts<{ secret?: string; secretFile?: string; at?: string; json?: boolean }>()
    await answer(options.json === true, async () => {
      const given = options.secretFile === undefined ? options.secret : (await read(options.secretFile)).toString()
      const secret = readWebhookSecret((given ?? '').trim())
      if (secret === null) throw invalidRequest('Give the secret as --secret whsec_… or --secret-file FILE.')
      const at = options.at === undefined ? new Date() : time('--at', options.at)
      return describe(verifyDelivery(readCapture(await read(file)), secret, at))
    })
  })
}

function describe({ valid, problems, id, ageSeconds }: ReturnType<typeof verifyDelivery>): Answer {
  if (!valid) process.exitCode = 1
  return {
    json: { valid, problems, webhook_id: id, age_seconds: ageSeconds },
    text: valid ? `${id} is genuine and ${age(ageSeconds ?? 0)}` : problems.join('\n'),
  }
}

const age = (seconds: number): string => (seconds < 0 ? `${-seconds} s ahead of the clock here` : `${seconds} s old`)

const read = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(`Give a file that can be read: ${file} (${error.code}).`)
  })

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

const toLine = ({ id, jobId, createdAt, state, outcome, attempts, url }: DeliveryView): string => {
  const times = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  const last = outcome === null || outcome === state ? '' : ` (${outcome})`
  return [id, jobId, createdAt.toISOString(), `${state}${last} after ${times}`, url].join('  ')
}

const hintAtMore = (more: boolean, shown: readonly DeliveryView[]): string[] =>
  more ? [`There are more: --after ${shown.at(-1)?.id}`] : []
