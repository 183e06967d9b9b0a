import type { Command } from 'commander'
import { operatorCommand } from '../run-command.ts'

export function addSecretCommands(program: Command): void {
  const secrets = program.command('secrets').description('what SECRET_KEY protects')

  operatorCommand(
    secrets.command('rekey').description('encrypt again under SECRET_KEY what is still under OLD_SECRET_KEY'),
    async (ctx) => {
      const { rekeyWebhookSecrets } = await import('../../webhooks/webhook.ts')
      const { rekeyServerKeys } = await import('../../catalog/engine-keys.ts')
      const [secrets, keys] = [await rekeyWebhookSecrets(ctx), await rekeyServerKeys(ctx)]
      const done = {
        rekeyed: secrets.rekeyed + keys.rekeyed,
        current: secrets.current + keys.current,
        unreadable: secrets.unreadable + keys.unreadable,
      }
      if (done.unreadable > 0) process.exitCode = 1
      return {
        json: done,
        text: `${done.rekeyed} encrypted again, ${done.current} already under SECRET_KEY, ${done.unreadable} unreadable with both keys`,
      }
    },
    ['catalog'],
  )
}
