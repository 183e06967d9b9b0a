import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { AccountActor } from '../../access/actor.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { commandLine } from '../../values/program.ts'
import type { Delivery } from '../../webhooks/receive-locally.ts'
import type { Verification } from '../../webhooks/signing.ts'
import type { DeliveryView } from '../../webhooks/webhook-deliveries.ts'
import { actingFor, portOf, size, time } from '../options.ts'
import { type Answer, answer, operatorCommand, withInterruption } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

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

const PORT = 4443

interface VerifyOptions {
  readonly secret?: string
  readonly secretFile?: string
  readonly at?: string
  readonly json?: boolean
}

interface ListenOptions {
  readonly account?: string
  readonly port?: string
  readonly json?: boolean
}

type Owner = ServiceContext & { readonly actor: AccountActor }

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
      const { setWebhookUrl } = await import('../../webhooks/webhook.ts')
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
      const { rotateWebhookSecret } = await import('../../webhooks/webhook.ts')
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
      const { viewOf, webhookDeliveries } = await import('../../webhooks/webhook-deliveries.ts')
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
      const { deliveryOwner, redeliverWebhook } = await import('../../webhooks/delivery/redeliver-webhook.ts')
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

function addTestCommand(webhooks: Command): void {
  operatorCommand<{ account: string }>(
    webhooks
      .command('test')
      .description("send a delivery about a job that never was to the account's URL, signed like any other")
      .requiredOption(...ACCOUNT),
    async (ctx, { account }) => {
      const { sendTestWebhook } = await import('../../webhooks/delivery/create-delivery.ts')
      const id = await sendTestWebhook(await actingFor(ctx, account))
      return { json: { delivery_id: id, queued: true }, text: `${id} is queued` }
    },
    ['queue'],
  )
}

function addVerifyCommand(webhooks: Command): void {
  const verify = webhooks
    .command('verify')
    .description('check a captured delivery (headers, an empty line, the raw body) against a secret')
    .argument('<file>', 'the capture')
    .option('--secret <secret>', 'whsec_…')
    .option('--secret-file <file>', 'a file that holds it')
    .option('--at <time>', 'as of this RFC 3339 time instead of now')
    .option('--json', 'print JSON and nothing else')
  verify.action(async (file: string) => {
    const options = verify.opts<VerifyOptions>()
    await answer({ json: options.json }, async () => {
      const { readCapture, verifyDelivery } = await import('../../webhooks/signing.ts')
      const secret = await readSecret(options)
      const at = options.at === undefined ? new Date() : time('--at', options.at)
      return describe(verifyDelivery(readCapture(await read(file)), secret, at))
    })
  })
}

async function readSecret({ secret, secretFile }: VerifyOptions): Promise<Buffer> {
  if (secret !== undefined && secretFile !== undefined)
    throw invalidRequest('Set either --secret or --secret-file, not both.')
  const given = (secretFile === undefined ? secret : (await read(secretFile)).toString())?.trim()
  if (!given) throw missing(given === undefined ? '' : `: ${secretFile ?? '--secret'} is empty`)
  const { readWebhookSecret } = await import('../../webhooks/signing.ts')
  const bytes = readWebhookSecret(given)
  const source = secretFile === undefined ? '--secret' : `the secret in ${secretFile}`
  if (bytes === null) throw invalidRequest(`Check ${source}: a webhook secret is whsec_ and base64 of 24 to 64 bytes.`)
  return bytes
}

const missing = (why: string) => invalidRequest(`Give the secret as --secret whsec_… or --secret-file FILE${why}.`)

function describe({ valid, problems, id, ageSeconds }: Verification): Answer {
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

function addListenCommand(webhooks: Command): void {
  operatorCommand<ListenOptions>(
    webhooks
      .command('listen')
      .description(
        "receive an account's deliveries on this machine until Ctrl-C, verify each and print it; --json prints one document a line",
      )
      .option('--account <account>', 'id or name; the oldest account if not given')
      .option('--port <port>', `where to listen on 127.0.0.1; ${PORT} if not given`),
    listen,
  )
}

async function listen(ctx: ServiceContext, options: ListenOptions): Promise<null> {
  const { startReceiver } = await import('../../webhooks/receive-locally.ts')
  const { ANNOUNCE_MS, announceReceiver } = await import('../../webhooks/local-receivers.ts')
  const owner = await actingFor(ctx, options.account ?? (await oldestAccount(ctx)))
  const print = options.json === true ? printJson : printLines
  const receiver = await startReceiver(owner, portOf('--port', options.port) ?? PORT, print)
  const { port, certificate, url } = receiver
  const announce = () => announceReceiver(ctx.notifier, { port, certificate }).catch(() => undefined)
  const timer = setInterval(() => void announce(), ANNOUNCE_MS)
  try {
    await announce()
    const restore = await replaceUrl(owner, url)
    await withInterruption(async (stopped) => {
      process.stderr.write(`${url} takes the deliveries of ${owner.actor.accountId} until Ctrl-C.\n`)
      await new Promise((resolve) => stopped.addEventListener('abort', resolve))
    }).finally(restore)
  } finally {
    clearInterval(timer)
    await announceReceiver(ctx.notifier, { port, certificate: null }).catch(() => undefined)
    await receiver.close()
  }
  return null
}

async function oldestAccount(ctx: ServiceContext): Promise<string> {
  const { accounts } = await import('../../accounts/accounts.ts')
  const [oldest] = (await accounts(ctx, { first: 1 })).edges
  if (oldest === undefined) throw invalidRequest(`Make an account first: "${commandLine('accounts create')}".`)
  return oldest.node.id
}

/** Sets the account's URL to the receiver. @returns a function that restores the old one unless it has changed meanwhile */
async function replaceUrl(owner: Owner, url: string): Promise<() => Promise<void>> {
  const { LOOPBACK, parseCidr } = await import('../../egress/ip-ranges.ts')
  const { setWebhookUrl, webhook } = await import('../../webhooks/webhook.ts')
  const egressAllow = [...owner.settings.egressAllow, parseCidr(`${LOOPBACK}/32`)]
  const allowed = { ...owner, settings: { ...owner.settings, egressAllow } }
  const { webhookUrl: before } = await webhook(owner)
  await setWebhookUrl(allowed, { url })
  return async () => {
    const { webhookUrl: now } = await webhook(owner)
    // A killed run may have left its own URL as the old one.
    if (now === url) await setWebhookUrl(allowed, { url: before === url ? null : before })
  }
}

const printJson = ({ id, valid, problems, body }: Delivery): void => {
  process.stdout.write(`${JSON.stringify({ delivery_id: id, valid, problems, body })}\n`)
}

const printLines = ({ id, valid, problems, body }: Delivery): void => {
  const verdict = valid ? 'genuine' : problems.join(' ')
  process.stdout.write(`${new Date().toISOString()}  ${id ?? 'no id'}  ${verdict}\n${JSON.stringify(body, null, 2)}\n`)
}
