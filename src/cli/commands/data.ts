import { Readable } from 'node:stream'
import { Argument, type Command } from 'commander'
import type { Settings } from '../../context/config.ts'
import { HTTP_STATUS, invalidRequest, ServiceError } from '../../errors/service-error.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import type { Log } from '../../values/log.ts'
import { actingFor, wholeNumber } from '../options.ts'
import { type FeedPage, type PulledFeed, pullFeed } from '../pull-feed.ts'
import { type Answer, addAction, withInterruption } from '../run-command.ts'
import { addDataAccessCommands } from './data-access.ts'

const PROGRESS_EVERY_MS = 100
/** Some seconds of a slow network, and about a thirtieth of what the service holds for a slow reader. */
const ROWS_AT_A_TIME = 100_000
const MOST_ROWS = 10_000_000
const KEY_VARIABLE = 'SONANT_API_KEY'

/** Feeds that can be pulled, by their names below `/api/v1/data/`. */
const FEEDS = {
  jobs: { time: 'changed_at', open: openJobs },
  ledger: { time: 'created_at', open: openLedger },
} as const satisfies Readonly<Record<string, Feed>>

interface Feed extends Pick<PulledFeed, 'time'> {
  open(ctx: ServiceContext, page: FeedPage, gone: AbortSignal): Promise<Readable>
}

interface PullOptions {
  readonly account?: string
  readonly url?: string
  readonly keyEnv?: string
  readonly state: string
  readonly output: string
  readonly limit: string
}

async function openJobs(ctx: ServiceContext, page: FeedPage, gone: AbortSignal): Promise<Readable> {
  const { changedJobs } = await import('../../jobs/export/changed-jobs.ts')
  return (await changedJobs(ctx, { ...page, gone })).csv
}

async function openLedger(ctx: ServiceContext, page: FeedPage, gone: AbortSignal): Promise<Readable> {
  const { settledEntries } = await import('../../jobs/export/settled-entries.ts')
  return (await settledEntries(ctx, { ...page, gone })).csv
}

export function addDataCommands(program: Command): void {
  const data = program.command('data').description('an account in bulk, for a warehouse: docs/data-teams.md')
  addDataAccessCommands(data)
  addAction<PullOptions>(
    data
      .command('pull')
      .description('add what has changed since the last pull to a file for each day')
      .addArgument(new Argument('<feed>', 'what to pull').choices(Object.keys(FEEDS)))
      .option('--account <account>', 'id or name, with the database of this installation')
      .option('--url <url>', 'or the address of a service, with an API key from the environment')
      .option('--key-env <name>', `the variable that holds the key; ${KEY_VARIABLE} if not given`)
      .requiredOption('--state <file>', 'keeps the cursor from one pull to the next')
      .requiredOption('-o, --output <dir>', 'where the files go; - prints the rows')
      .option('--limit <rows>', 'at a time: a pull that breaks off goes on after them', String(ROWS_AT_A_TIME)),
    pull,
  )
}

async function pull(settings: Settings, log: Log, options: PullOptions, [name = '']: string[]): Promise<Answer> {
  const feed = FEEDS[name as keyof typeof FEEDS]
  if ((options.account === undefined) === (options.url === undefined))
    throw invalidRequest('Give either --account or --url.')
  const limit = limitOf(options.limit)
  const opened = options.url === undefined ? await openHere(settings, log, feed, options.account as string) : null
  const open = opened?.open ?? ((page, signal) => openThere(options, name, page, signal))
  try {
    return await withInterruption(async (signal) => {
      const progress = startProgress()
      const { state, output } = options
      const pulled = await pullFeed({
        feed: { name, time: feed.time, open },
        state,
        output,
        signal,
        limit,
        onRows: progress.show,
      }).finally(progress.stop)
      const { rows, files, complete_before } = pulled
      const text = `${rows} rows, complete before ${complete_before}${files.map((file) => `\n${file}`).join('')}`
      return { json: { feed: name, rows, complete_before, files }, text }
    })
  } finally {
    await opened?.close()
  }
}

function limitOf(given: string): number {
  const limit = Number(wholeNumber('--limit', given))
  if (limit < 1 || limit > MOST_ROWS) throw invalidRequest(`Give --limit a number from 1 to ${MOST_ROWS}.`)
  return limit
}

async function openHere(settings: Settings, log: Log, feed: Feed, account: string) {
  const { openCommand } = await import('../open-command.ts')
  const { ctx, close } = await openCommand(settings, log, [])
  const open: PulledFeed['open'] = async (page, signal) => feed.open(await actingFor(ctx, account), page, signal)
  return { open, close }
}

async function openThere(
  { url = '', keyEnv = KEY_VARIABLE }: PullOptions,
  feed: string,
  { since, limit }: FeedPage,
  signal: AbortSignal,
) {
  const key = process.env[keyEnv]
  if (!key) throw invalidRequest(`Put an API key into the environment variable ${keyEnv}.`)
  const address = addressOf(url, feed)
  if (since !== undefined) address.searchParams.set('since', since)
  address.searchParams.set('limit', String(limit))
  const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` }, redirect: 'error', signal })
  if (answer.status !== 200) throw await refusal(answer)
  return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
}

function addressOf(url: string, feed: string): URL {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw invalidRequest('Give --url an address such as https://voice.example.com.')
  return new URL(`${url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1/data/${feed}`)
}

async function refusal(answer: Response): Promise<Error> {
  const told = (await answer.json().catch(() => ({}))) as { error?: unknown; error_code?: unknown }
  if (typeof told.error === 'string' && String(told.error_code) in HTTP_STATUS)
    return new ServiceError(told.error_code as keyof typeof HTTP_STATUS, told.error)
  return new Error(`The service answered ${answer.status}.`)
}

function startProgress() {
  let rows = 0
  const isShown = process.stderr.isTTY === true
  const draw = () => process.stderr.write(`\r${rows} rows`)
  const timer = isShown ? setInterval(draw, PROGRESS_EVERY_MS) : undefined
  return {
    show: (count: number) => {
      rows = count
    },
    stop: () => {
      clearInterval(timer)
      if (!isShown) return
      draw()
      process.stderr.write('\n')
    },
  }
}
