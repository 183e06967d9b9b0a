import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import { openEmbedded } from '../src/db/embedded/embedded.ts'
import { openLog } from '../src/values/log.ts'
import { type Closers, openClosers } from './closers.ts'
import { environmentOf, launch, ROOT, type Variables } from './process.ts'
import { connected } from './seed.ts'

const run = promisify(execFile)
const CREDITS = 1_000_000_000

export interface Service {
  readonly url: string
  /** The line that told that it was ready. */
  readonly line: string
  readonly pid: number
  stop(): Promise<void>
}

/** A row's PostgreSQL, key, temporary directories and processes. All of them end with the row. */
export interface Environment extends Pick<Closers, 'open' | 'close'> {
  readonly quick: boolean
  /** The directory that `--cases` names; null without it. */
  readonly cases: string | null
  /** Calls it when this is closed, before what was opened earlier is closed. */
  onClose(closer: () => Promise<unknown>): void
  /** One with the same database and data directory, which stay when it is closed; what is opened through it does not. Closed with this one at the latest. */
  scope(): Environment
  /** A directory of one's own, removed at the end. */
  directory(): Promise<string>
  /** Where services keep their files. */
  dataDir(): Promise<string>
  /** The database that services and floors share, with an account in it. */
  database(): Promise<Database>
  /** Another account in it, with a key. */
  account(name: string): Promise<Database>
  /** The real service as a second process on that database. */
  serve(role: 'start' | 'serve' | 'work', variables?: Variables): Promise<Service>
  /** A script of floors/ as a second process; it prints its address once it is ready. */
  floor(name: string, variables: Variables): Promise<Service>
  /** A script of floors/ that works on the shared database as a worker does. */
  worker(name: string, variables: Variables): Promise<Service>
  /** A command of the operator on the shared database, with --json. */
  sonant<Answer>(...args: readonly string[]): Promise<Answer>
  /** One with a database of its own, closed with this one at the latest. @param configure sets up its server, which is started once more thereafter */
  another(configure: Configure): Environment
}

type Configure = (client: Client) => Promise<void>

export interface Database {
  readonly url: string
  readonly accountId: string
  readonly apiKey: string
}

/** Shared by all scopes of an environment. */
interface Shared {
  readonly quick: boolean
  readonly cases: string | null
  variables(): Promise<{ readonly DATA_DIR: string } & Variables>
  database(): Promise<Database>
}

export function openEnvironment(
  { quick, cases = null }: { readonly quick: boolean; readonly cases?: string | null },
  configure?: Configure,
): Environment {
  const [closers, base] = [openClosers(), openClosers()]
  // The first to be added is the last to be closed: whatever runs on the database has ended by then.
  closers.add(base.close)
  let dataDir: Promise<string> | undefined
  const variables = async () => {
    dataDir ??= openDirectory(base)
    return { DATA_DIR: await dataDir, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' }
  }
  let opened: Promise<Database> | undefined
  const database = () => {
    opened ??= variables().then((given) => openDatabase(given, base, configure))
    return opened
  }
  return environmentIn({ quick, cases, variables, database }, closers)
}

function environmentIn(shared: Shared, closers: Closers): Environment {
  const { quick, cases, variables, database } = shared
  const start = async (args: readonly string[], given: Variables, ready: RegExp): Promise<Service> => {
    const { line, pid, stop } = await closers.open(
      () => launch(args, given, ready),
      (launched) => launched.stop(),
    )
    return { url: /https?:\S+/.exec(line)?.[0] ?? '', line, pid, stop }
  }
  return {
    quick,
    cases,
    open: closers.open,
    onClose: closers.add,
    close: closers.close,
    scope: () => {
      const inner = openClosers()
      closers.add(inner.close)
      return environmentIn(shared, inner)
    },
    directory: () => openDirectory(closers),
    dataDir: async () => (await variables()).DATA_DIR,
    database,
    account: async (name) => openAccount((await database()).url, name, await variables(), closers),
    serve: async (role, given = {}) => {
      await database()
      const port = String(await freePort())
      return start(['bin/sonant.js', role], { ...(await variables()), ...given, PORT: port }, /^Sonant /)
    },
    floor: (name, given) => start([`bench/floors/${name}.ts`], given, /^ready/),
    worker: async (name, given) => {
      await database()
      return start([`bench/floors/${name}.ts`], { ...(await variables()), ...given }, /^ready/)
    },
    sonant: async (...args) => {
      await database()
      return sonant(args, await variables(), closers)
    },
    another: (given) => {
      const other = openEnvironment({ quick, cases }, given)
      closers.add(other.close)
      return other
    },
  }
}

const openDirectory = (closers: Closers): Promise<string> =>
  closers.open(
    async () => {
      const made = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
      await chmod(made, 0o755)
      return made
    },
    (made) => rm(made, { recursive: true, force: true, maxRetries: 5 }),
  )

/** Held open by this process: services come and go, the database stays as warm as it is. */
async function openDatabase(
  variables: Variables,
  closers: Closers,
  configure: Configure | undefined,
): Promise<Database> {
  const begin = () => openEmbedded(variables.DATA_DIR!, openLog('warn'))
  if (configure !== undefined) {
    const embedded = await closers.open(begin, ({ close }) => close())
    await connected(embedded.url, configure).finally(() => embedded.close())
  }
  const { url } = await closers.open(begin, ({ close }) => close())
  return openAccount(url, 'bench', variables, closers)
}

async function openAccount(url: string, name: string, variables: Variables, closers: Closers): Promise<Database> {
  const account = ['accounts', 'create', '--name', name, '--credits', String(CREDITS)]
  const { account_id: accountId } = await sonant<{ account_id: string }>(account, variables, closers)
  const key = ['keys', 'create', '--account', accountId, '--name', 'bench']
  const { api_key: apiKey } = await sonant<{ api_key: string }>(key, variables, closers)
  return { url, accountId, apiKey }
}

/** The database stays open until the command has ended. */
async function sonant<Answer>(args: readonly string[], variables: Variables, closers: Closers): Promise<Answer> {
  const options = { cwd: ROOT, env: environmentOf(variables) }
  const { stdout } = await closers.open(
    () => run(process.execPath, ['bin/sonant.js', ...args, '--json'], options),
    async () => undefined,
  )
  return JSON.parse(stdout) as Answer
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
