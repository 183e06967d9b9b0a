import type { Command } from 'commander'
import { DEFAULT_SCOPES } from '../../access/scopes.ts'
import type { ApiKeyView } from '../../api-keys/api-keys.ts'
import { actingFor, type LimitOptions, limits, time } from '../options.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, everyPage, toTable } from '../table.ts'
import { type Usage, withUsage } from '../with-usage.ts'

type UsedKey = ApiKeyView & Usage

const COLUMNS: readonly Column<UsedKey>[] = [
  { head: 'key', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name },
  { head: 'scopes', cell: ({ scopes }) => scopes.join(',') },
  { head: 'created (UTC)', cell: ({ createdAt }) => createdAt.toISOString() },
  { head: 'expires (UTC)', cell: ({ expiresAt }) => expiresAt?.toISOString() ?? 'never' },
  { head: 'last used (UTC)', cell: ({ lastUsedAt }) => lastUsedAt?.toISOString() ?? null },
  { head: 'monthly limit', cell: ({ monthlyLimit }) => monthlyLimit },
  { head: 'used this month', cell: ({ used }) => used },
  { head: 'max running', cell: ({ maxRunning }) => maxRunning },
  { head: 'running', cell: ({ running }) => running },
]

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys')
  addKeyList(keys)
  addKeyCreation(keys)
  addKeyUpdate(keys)

  operatorCommand(
    keys.command('delete').description('delete a key: it is revoked immediately').argument('<key-id>', 'key_…'),
    async (ctx, _options, [apiKeyId = '']) => {
      const { deleteApiKey } = await import('../../api-keys/change-api-key.ts')
      await deleteApiKey(ctx, { apiKeyId })
      return { json: { api_key_id: apiKeyId, deleted: true }, text: `${apiKeyId} is deleted` }
    },
  )
}

function addKeyCreation(keys: Command): void {
  operatorCommand<LimitOptions & { account: string; name: string; scopes?: string; expires?: string }>(
    keys
      .command('create')
      .description('make a key and show it, this once')
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--name <name>', 'what it is called')
      .option('--scopes <a,b>', `these scopes instead of ${DEFAULT_SCOPES.join(',')}`)
      .option('--expires <time>', 'when the key stops working, such as 2027-01-31; never unless given')
      .option('--monthly-limit <credits>', 'how many credits it may use in a calendar month, in UTC')
      .option('--max-running <jobs>', 'how many of its jobs may run at once'),
    async (ctx, { account, name, scopes, expires, ...options }) => {
      const { createApiKey } = await import('../../api-keys/change-api-key.ts')
      const key = await createApiKey(ctx, {
        ...{ account, name, scopes: scopesOf(scopes), ...limits(options) },
        ...(expires !== undefined && { expiresAt: time('--expires', expires) }),
      })
      return {
        json: { api_key_id: key.apiKeyId, api_key: key.apiKey, scopes: key.scopes },
        text: `${key.apiKey}\n${key.apiKeyId} with ${key.scopes.join(', ')}; the key is not shown again`,
      }
    },
  )
}

const scopesOf = (list: string | undefined): string[] | undefined => list?.split(',').map((scope) => scope.trim())

function addKeyUpdate(keys: Command): void {
  operatorCommand<LimitOptions & { name?: string; scopes?: string }>(
    keys
      .command('update')
      .description('change what is given of a key; it is the same key')
      .argument('<key-id>', 'key_…')
      .option('--name <name>', 'what it is called')
      .option('--scopes <a,b>', 'these scopes instead of those that it has')
      .option('--monthly-limit <credits>', 'how many credits it may use in a calendar month, in UTC, or none')
      .option('--max-running <jobs>', 'how many of its jobs may run at once, or none'),
    async (ctx, { name, scopes, ...options }, [apiKeyId = '']) => {
      const { updateApiKey } = await import('../../api-keys/change-api-key.ts')
      const change = { name, scopes: scopesOf(scopes), ...limits(options) }
      const [key] = await withUsage(ctx, [await updateApiKey(ctx, { apiKeyId, ...change })])
      return { json: toJson(key!), text: toTable(COLUMNS, [key!]) }
    },
  )
}

function addKeyList(keys: Command): void {
  operatorCommand<{ account: string }>(
    keys
      .command('list')
      .description("list an account's keys, newest first, without the keys themselves")
      .requiredOption('--account <account>', 'id or name'),
    async (ctx, { account }) => {
      const { apiKeys } = await import('../../api-keys/api-keys.ts')
      const behalf = await actingFor(ctx, account)
      const all = await withUsage(ctx, await everyPage((page) => apiKeys(behalf, page)))
      return { json: { items: all.map(toJson) }, text: toTable(COLUMNS, all) }
    },
  )
}

const toJson = ({ id, name, scopes, createdAt, expiresAt, lastUsedAt, ...limits }: UsedKey) => ({
  api_key_id: id,
  name,
  scopes,
  created_at: createdAt,
  expires_at: expiresAt,
  last_used_at: lastUsedAt,
  monthly_limit: limits.monthlyLimit === null ? null : Number(limits.monthlyLimit),
  used_this_month: limits.used,
  max_running: limits.maxRunning,
  running_jobs: limits.running,
})
