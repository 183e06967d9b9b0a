import { type Command, Option } from 'commander'
import type { Account } from '../../accounts/accounts.ts'
import type { ActorView, AuditEntry } from '../../accounts/audit-entries.ts'
import { AUDITED_ACTIONS, type AuditedAction } from '../../audit/audited-actions.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { type LimitOptions, limits, oneOf, size, time, wholeNumber } from '../options.ts'
import { type Answer, operatorCommand } from '../run-command.ts'
import { type Column, everyPage, toTable } from '../table.ts'
import { type Usage, withUsage } from '../with-usage.ts'

type UsedAccount = Account & Usage

const COLUMNS: readonly Column<UsedAccount>[] = [
  { head: 'account', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name },
  { head: 'credits', cell: ({ credits }) => credits },
  { head: 'monthly limit', cell: ({ monthlyLimit }) => monthlyLimit },
  { head: 'used this month', cell: ({ used }) => used },
  { head: 'max running', cell: ({ maxRunning }) => maxRunning },
  { head: 'running', cell: ({ running }) => running },
  { head: 'disabled (UTC)', cell: ({ disabledAt }) => disabledAt?.toISOString() ?? null },
]

const ACTIONS = Object.keys(AUDITED_ACTIONS) as AuditedAction[]

interface AuditOptions {
  readonly account?: string
  readonly action?: string
  readonly from?: string
  readonly to?: string
  readonly first?: string
  readonly after?: string
}

/** An entry as the command line shows it. */
type ShownEntry = Omit<AuditEntry, 'id'> & { readonly id: string; readonly actor: ActorView }

const AUDIT_COLUMNS: readonly Column<ShownEntry>[] = [
  { head: 'when (UTC)', cell: ({ createdAt }) => createdAt.toISOString() },
  { head: 'action', cell: ({ action }) => action },
  { head: 'subject', cell: ({ subjectName, subjectId }) => subjectName ?? subjectId },
  { head: 'detail', cell: ({ detail }) => detail },
  { head: 'by', cell: ({ actor }) => actor.name ?? actor.callerId ?? actor.kind },
  { head: 'account', cell: ({ accountId }) => accountId },
]

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('accounts and their credits')
  addAccountList(accounts)
  addAccountMaking(accounts)
  addAccountCredits(accounts)
  addAccountUpdate(accounts)
  addAccountStanding(accounts)
}

function addAccountMaking(accounts: Command): void {
  operatorCommand<{ name: string; credits: string }>(
    accounts
      .command('create')
      .description('make an account')
      .requiredOption('--name <name>', 'what it is called')
      .requiredOption('--credits <number>', 'its first credits'),
    async (ctx, options) => {
      const { createAccount } = await import('../../accounts/create-account.ts')
      const credits = wholeNumber('--credits', options.credits)
      return describe(ctx, await createAccount(ctx, { name: options.name, credits }))
    },
  )
}

function addAccountCredits(accounts: Command): void {
  operatorCommand<{ account: string; amount: string; idempotencyKey?: string }>(
    accounts
      .command('credit')
      .description('grant credits, or take some back with a negative amount')
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--amount <number>', 'how many credits')
      .option('--idempotency-key <key>', 'with the same one and amount, the balance changes once in 24 hours'),
    async (ctx, { amount, ...rest }) => {
      const { creditAccount } = await import('../../accounts/credit-account.ts')
      const account = await creditAccount(ctx, { ...rest, amount: wholeNumber('--amount', amount) })
      const { text } = await describe(ctx, account)
      return { json: { account_id: account.id, credits: Number(account.credits) }, text }
    },
  )

  operatorCommand<{ account: string }>(
    accounts
      .command('show')
      .description('show an account and its balance')
      .requiredOption('--account <account>', 'id or name'),
    async (ctx, options) => {
      const { showAccount } = await import('../../accounts/accounts.ts')
      return describe(ctx, await showAccount(ctx, options))
    },
  )
}

function addAccountList(accounts: Command): void {
  operatorCommand(accounts.command('list').description('list all accounts, oldest first'), async (ctx) => {
    const { accounts: listAccounts } = await import('../../accounts/accounts.ts')
    const all = await withUsage(ctx, await everyPage((page) => listAccounts(ctx, page)))
    return { json: { items: all.map(toJson) }, text: toTable(COLUMNS, all) }
  })
}

function addAccountUpdate(accounts: Command): void {
  operatorCommand<LimitOptions & { account: string; name?: string }>(
    accounts
      .command('update')
      .description('rename an account, or change what it may use')
      .requiredOption('--account <account>', 'id or name')
      .option('--name <name>', 'what it is called from now on')
      .option('--monthly-limit <credits>', 'how many credits it may use in a calendar month, in UTC, or none')
      .option('--max-running <jobs>', 'how many of its jobs may run at once, or none'),
    async (ctx, { account, name, ...options }) => {
      const { updateAccount } = await import('../../accounts/update-account.ts')
      return describe(ctx, await updateAccount(ctx, { account, name, ...limits(options) }))
    },
  )
}

function addAccountStanding(accounts: Command): void {
  operatorCommand<{ account: string }>(
    accounts
      .command('disable')
      .description('refuse the keys and users of an account until it is enabled; jobs under way go on')
      .requiredOption('--account <account>', 'id or name'),
    async (ctx, options) => {
      const { disableAccount } = await import('../../accounts/disable-account.ts')
      return describe(ctx, await disableAccount(ctx, options))
    },
  )
  operatorCommand<{ account: string }>(
    accounts
      .command('enable')
      .description('let the keys and users of a disabled account use the service again')
      .requiredOption('--account <account>', 'id or name'),
    async (ctx, options) => {
      const { enableAccount } = await import('../../accounts/disable-account.ts')
      return describe(ctx, await enableAccount(ctx, options))
    },
  )
}

async function describe(ctx: ServiceContext, account: Account): Promise<Answer> {
  const [used] = await withUsage(ctx, [account])
  return { json: toJson(used!), text: toTable(COLUMNS, [used!]) }
}

const toJson = ({ id, name, credits, monthlyLimit, used, maxRunning, running, disabledAt }: UsedAccount) => ({
  account_id: id,
  name,
  credits: Number(credits),
  monthly_limit: monthlyLimit === null ? null : Number(monthlyLimit),
  used_this_month: used,
  max_running: maxRunning,
  running_jobs: running,
  disabled_at: disabledAt,
})

export function addAuditCommand(program: Command): void {
  operatorCommand<AuditOptions>(
    program
      .command('audit')
      .description('list what was changed in all accounts, or in one, and by which key or user, newest first')
      .option('--account <account>', 'id or name; all accounts unless given')
      .addOption(new Option('--action <actions>', `of these, between commas: ${ACTIONS.join(', ')}`))
      .option('--from <time>', 'at this time or later')
      .option('--to <time>', 'before this time')
      .option('--first <number>', 'how many, 1 to 100; 50 unless given')
      .option('--after <id>', 'only those that come after this entry in the list'),
    async (ctx, { account, action, from, to, first, after }) => {
      const window = { from: timeOf('--from', from), to: timeOf('--to', to) }
      if (window.from && window.to && window.from > window.to)
        throw invalidRequest('Give a --from that is not after --to.')
      const { auditActor, auditEntries, auditId } = await import('../../accounts/audit-entries.ts')
      const { edges, pageInfo } = await auditEntries(ctx, {
        ...(account === undefined ? { all: true } : { account }),
        actions: action?.split(',').map((name) => oneOf('--action', ACTIONS, name.trim())),
        createdAt: window,
        first: size('--first', first),
        after,
      })
      const entries = edges.map(({ node }) => ({ ...node, id: auditId(node), actor: auditActor(ctx, node) }))
      const items = entries.map(toAuditJson)
      return {
        json: { items, entries: items, has_more: pageInfo.hasNextPage },
        text: toTable(AUDIT_COLUMNS, entries),
      }
    },
  )
}

const timeOf = (option: string, given: string | undefined): Date | undefined =>
  given === undefined ? undefined : time(option, given)

const toAuditJson = ({ id, action, accountId, subjectId, subjectName, detail, actor, createdAt }: ShownEntry) => ({
  audit_id: id,
  action,
  account_id: accountId,
  subject_id: subjectId,
  subject_name: subjectName,
  detail,
  by: { kind: actor.kind, id: actor.callerId, name: actor.name },
  created_at: createdAt,
})
