import type { Command } from 'commander'
import { createApiKey } from '../api-keys/create-api-key.ts'
import { deleteApiKey } from '../api-keys/delete-api-key.ts'
import { operatorCommand } from './run-command.ts'

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys')

  operatorCommand<{ account: string; name: string; scopes?: string }>(
    keys
      .command('create')
      .description('make a key and show it, this once')
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--name <name>', 'what it is called')
      .option('--scopes <a,b>', 'these scopes instead of the two default ones'),
    async (ctx, { account, name, scopes }) => {
      const list = scopes?.split(',').map((scope) => scope.trim())
      const key = await createApiKey(ctx, { account, name, ...(list !== undefined && { scopes: list }) })
      return {
        json: { api_key_id: key.apiKeyId, api_key: key.apiKey, scopes: key.scopes },
        text: `${key.apiKey}\n${key.apiKeyId} with ${key.scopes.join(', ')}; the key is not shown again`,
      }
    },
  )

  operatorCommand(
    keys.command('delete').description('delete a key: it is refused from now on').argument('<key-id>', 'key_…'),
    async (ctx, _options, [apiKeyId = '']) => {
      await deleteApiKey(ctx, { apiKeyId })
      return { json: { api_key_id: apiKeyId, deleted: true }, text: `${apiKeyId} is deleted` }
    },
  )
}
