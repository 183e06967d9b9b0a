import type { Command } from 'commander'
import type { AccountActor } from '../../access/actor.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { commandLine } from '../../values/command-line.ts'
import type { Delivery } from '../../webhooks/receive-locally.ts'
import { actingFor } from '../acting-for.ts'
import { withInterruption } from '../interruption.ts'
import { portOf } from '../options.ts'
import { operatorCommand } from '../run-command.ts'

const PORT = 4443

interface ListenOptions {
  readonly account?: string
  readonly port?: string
  readonly json?: boolean
}

type Owner = ServiceContext & { readonly actor: AccountActor }

export function addListenCommand(webhooks: Command): void {
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
  const { invalidRequest } = await import('../../errors/service-error.ts')
  const [oldest] = (await accounts(ctx, { first: 1 })).edges
  if (oldest === undefined) throw invalidRequest(`Make an account first: "${commandLine('accounts create')}".`)
  return oldest.node.id
}

/** Sets the account's URL to the receiver. @returns a function that restores the old one unless it has changed meanwhile */
async function replaceUrl(owner: Owner, url: string): Promise<() => Promise<void>> {
  const { parseCidr } = await import('../../egress/ip-ranges.ts')
  const { LOOPBACK } = await import('../../egress/local-receivers.ts')
  const { setWebhookUrl } = await import('../../webhooks/set-webhook-url.ts')
  const { webhook } = await import('../../webhooks/webhook.ts')
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
