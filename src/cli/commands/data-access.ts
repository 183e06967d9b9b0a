import type { Command } from 'commander'
import { operatorCommand } from '../run-command.ts'

const NO_TENANTS =
  'It is for your own data team: like every role it can hear ids of all accounts as their jobs change. Give tenants a key for /api/v1/data.'

/** @param data the command that they are below */
export function addDataAccessCommands(data: Command): void {
  operatorCommand<{ account?: string; newPassword?: boolean }>(
    data
      .command('grant')
      .description('make a role of PostgreSQL that reads the views of sonant_v1 alone, or change one')
      .argument('<role>', 'its name, such as bi_reader')
      .option('--account <account>', 'id or name of the one account that it sees; all unless given')
      .option('--new-password', 'give a role that exists another password'),
    async (ctx, { account, newPassword }, [role = '']) => {
      const { grantData } = await import('../../accounts/data-access.ts')
      const grant = await grantData(ctx, { role, account, newPassword })
      const { accountId, password, url } = grant
      return {
        json: { role, account_id: accountId, password, url },
        text: [
          `${role} reads sonant_v1 of ${accountId ?? 'all accounts'}: psql "${url}"`,
          password === null ? 'It keeps its password.' : `Its password, which is not shown again: ${password}`,
          NO_TENANTS,
        ].join('\n'),
      }
    },
  )

  operatorCommand(
    data.command('revoke').description('drop a role that data grant has made').argument('<role>', 'its name'),
    async (ctx, _options, [role = '']) => {
      const { revokeData } = await import('../../accounts/data-access.ts')
      const { remains } = await revokeData(ctx, { role })
      const kept = `${role} reads nothing any more and cannot log in. PostgreSQL keeps it because of: ${remains.join('; ')}.`
      const next = `Have an administrator take that away (\`drop owned by ${role}\` in each database), then repeat this command.`
      const text = remains.length === 0 ? `${role} is dropped` : `${kept}\n${next}`
      return { json: { role, revoked: true, remains }, text }
    },
  )
}
