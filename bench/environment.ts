import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { openEmbedded } from '../src/db/embedded/embedded.ts'
import { openLog } from '../src/values/log.ts'
import { environmentOf, type Launched, launch, ROOT, type Variables } from './process.ts'

const run = promisify(execFile)
const CREDITS = 1_000_000_000

export interface Service {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** What rows share: one PostgreSQL, a key, temporary directories, and processes that end with the run. */
export interface Environment {
  readonly quick: boolean
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
  close(): Promise<void>
}

type Configure = (client: Client) => Promise<void>

export interface Database {
  readonly url: string
  readonly accountId: string
  readonly apiKey: string
}

export function openEnvironment(quick: boolean, configure?: Configure): Environment {
  const closers: (() => Promise<unknown>)[] = []
  const directory = async () => {
    const made = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
    closers.push(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
    await chmod(made, 0o755)
    return made
  }
  let dataDir: Promise<string> | undefined
  const variables = async () => {
    dataDir ??= directory()
    return { DATA_DIR: await dataDir, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' }
  }
  let opened: Promise<Database> | undefined
  const database = () => {
    opened ??= variables().then((given) => openDatabase(given, closers, configure))
    return opened
  }
  const keep = ({ line, pid, stop }: Launched): Service => {
    closers.push(stop)
    return { url: /https?:\S+/.exec(line)?.[0] ?? '', pid, stop }
  }
  return {
    quick,
    directory,
    dataDir: async () => (await variables()).DATA_DIR,
    database,
    account: async (name) => openAccount((await database()).url, name, await variables()),
    serve: async (role, given = {}) => {
      await database()
      const port = String(await freePort())
      return keep(await launch(['bin/sonant.js', role], { ...(await variables()), ...given, PORT: port }, /^Sonant /))
    },
    floor: async (name, given) => keep(await launch([`bench/floors/${name}.ts`], given, /^ready/)),
    worker: async (name, given) => {
      await database()
      return keep(await launch([`bench/floors/${name}.ts`], { ...(await variables()), ...given }, /^ready/))
    },
    sonant: async (...args) => {
      await database()
      return sonant(args, await variables())
    },
    another: (given) => {
      const other = openEnvironment(quick, given)
      closers.push(other.close)
      return other
    },
    close: async () => {
      for (const closer of closers.splice(0).reverse()) await closer()
    },
  }
}

/** Held open by this process: services come and go, the database stays as warm as it is. */
async function openDatabase(
  variables: Variables,
  closers: (() => Promise<unknown>)[],
  configure: Configure | undefined,
): Promise<Database> {
  if (configure !== undefined) await configured(variables.DATA_DIR!, configure)
  const embedded = await openEmbedded(variables.DATA_DIR!, openLog('warn'))
  closers.push(() => embedded.close())
  return openAccount(embedded.url, 'bench', variables)
}

async function configured(dataDir: string, configure: Configure): Promise<void> {
  const embedded = await openEmbedded(dataDir, openLog('warn'))
  const client = new Client({ connectionString: embedded.url })
  await client.connect()
  await configure(client)
  await client.end()
  await embedded.close()
}

async function openAccount(url: string, name: string, variables: Variables): Promise<Database> {
  const account = ['accounts', 'create', '--name', name, '--credits', String(CREDITS)]
  const { account_id: accountId } = await sonant<{ account_id: string }>(account, variables)
  const key = ['keys', 'create', '--account', accountId, '--name', 'bench']
  const { api_key: apiKey } = await sonant<{ api_key: string }>(key, variables)
  return { url, accountId, apiKey }
}

async function sonant<Answer>(args: readonly string[], variables: Variables): Promise<Answer> {
  const options = { cwd: ROOT, env: environmentOf(variables) }
  const { stdout } = await run(process.execPath, ['bin/sonant.js', ...args, '--json'], options)
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
