import type { Command } from 'commander'
import type { UsageGroup, UsageRow } from '../../jobs/list/usage.ts'
import { actingFor, oneOf, time } from '../options.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30

interface UsageOptions {
  readonly account: string
  readonly from?: string
  readonly to?: string
  readonly bucket?: string
  readonly groupBy?: string
  readonly timeZone?: string
}

export function addUsageCommand(program: Command): void {
  operatorCommand<UsageOptions>(
    program
      .command('usage')
      .description("show an account's jobs, credits, characters and seconds of audio by day or hour")
      .requiredOption('--account <account>', 'id or name')
      .option(
        '--from <time>',
        `jobs accepted from then on, such as 2026-01-31; ${DEFAULT_DAYS} days before --to unless given`,
      )
      .option('--to <time>', 'jobs accepted before; now unless given')
      .option('--bucket <bucket>', 'day or hour; day unless given')
      .option('--group-by <a,b>', 'also by api_key, endpoint, type, status, voice or tag')
      .option('--time-zone <zone>', 'whose days, such as Europe/Berlin; UTC unless given'),
    async (ctx, options) => {
      const { USAGE_BUCKETS, USAGE_GROUPS, usage } = await import('../../jobs/list/usage.ts')
      const to = options.to === undefined ? ctx.now() : time('--to', options.to)
      const from =
        options.from === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : time('--from', options.from)
      const groupBy = (options.groupBy?.split(',') ?? []).map((group) =>
        oneOf('--group-by', USAGE_GROUPS, group.trim()),
      )
      const bucket = oneOf('--bucket', USAGE_BUCKETS, options.bucket)
      const { presentUsage } = await import('../../jobs/list/present-usage.ts')
      const found = await usage(await actingFor(ctx, options.account), {
        from,
        to,
        bucket,
        groupBy,
        timeZone: options.timeZone,
      })
      return { json: presentUsage(found), text: toTable(columnsOf(groupBy), found.rows) }
    },
  )
}

const columnsOf = (groupBy: readonly UsageGroup[]): readonly Column<UsageRow>[] => [
  { head: 'from (UTC)', cell: ({ bucket }) => bucket.toISOString() },
  ...groupBy.map((group) => ({ head: group, cell: (row: UsageRow) => row[group] ?? null })),
  { head: 'jobs', cell: ({ jobs }) => jobs },
  { head: 'credits', cell: ({ credits }) => credits },
  { head: 'characters', cell: ({ characters }) => characters },
  { head: 'audio s', cell: ({ audioSeconds }) => Math.round(audioSeconds) },
]
