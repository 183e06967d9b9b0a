import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import { Pool, type QueryConfig, type QueryResult, types } from 'pg'

// Node has it; the types of neither Node nor ES2024 say so.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, unknown>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>
}

const PRISMA = fileURLToPath(new URL('../../../prisma', import.meta.url))
const MIGRATIONS = join(PRISMA, 'migrations')
const LOCKFILE = 'migration_lock.toml'
const SCHEMA = join(PRISMA, 'schema.prisma')
const NO_FILTER = { externalTables: [], externalEnums: [] }

/**
 * The SQL that leads from a database as it is ('database') or from nothing ('empty') to prisma/schema.prisma; empty
 * text when there is no difference. A draft for a new migration, and the drift test.
 */
export async function diffSchema(url: string, from: 'database' | 'empty'): Promise<string> {
  const files = [{ path: SCHEMA, content: await readFile(SCHEMA, 'utf8') }]
  const source = from === 'empty' ? { tag: from } : { tag: 'schemaDatasource' as const, files, configDir: PRISMA }
  const result = await withSchemaEngine(url, (engine) =>
    engine.diff({
      from: source,
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: NO_FILTER,
    }),
  )
  const script = (result.stdout ?? '').trim()
  return script === '-- This is an empty migration.' ? '' : script
}

/**
 * Applies migrations as `prisma migrate deploy` does. Returns the names of those that were pending.
 * @param only the first so many, because Prisma runs no step outside of a transaction and none in pages
 */
export async function deployWithPrisma(url: string, only = Number.POSITIVE_INFINITY): Promise<string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const migrationsList = await readMigrations(names.sort().slice(0, only))
  const { appliedMigrationNames } = await withSchemaEngine(url, (engine) =>
    engine.applyMigrations({ migrationsList, filters: NO_FILTER }),
  )
  return appliedMigrationNames
}

async function readMigrations(names: readonly string[]): Promise<MigrationList> {
  const migrationDirectories = await Promise.all(
    names.map(async (name) => {
      const value = await readFile(join(MIGRATIONS, name, 'migration.sql'), 'utf8')
      return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } }
    }),
  )
  const lockfile = { path: LOCKFILE, content: await readFile(join(MIGRATIONS, LOCKFILE), 'utf8') }
  return { baseDir: MIGRATIONS, lockfile, shadowDbInitScript: '', migrationDirectories }
}

/**
 * Runs `work` with Prisma's own schema engine on one database. It is WebAssembly: nothing is downloaded, and the ledger
 * it writes is the one that `prisma migrate deploy` reads. The service itself does without it.
 */
async function withSchemaEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const engineClass = await loadEngine()
  const connection = openPool(url)
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(adapt(connection))
    const engine = await engineClass.new({ datamodels: undefined }, () => {}, adapter)
    try {
      return await work(engine)
    } finally {
      engine.free()
    }
  } finally {
    await connection.pool.end()
  }
}

interface Connection {
  readonly pool: Pool
  /** The columns of the type "char" in each result's rows. */
  readonly chars: WeakMap<readonly unknown[], readonly number[]>
}

function openPool(url: string): Connection {
  const pool = new Pool({ connectionString: url, application_name: 'sonant migrate', max: 2 })
  pool.on('error', () => undefined)
  const chars: Connection['chars'] = new WeakMap()
  const query = pool.query.bind(pool) as (config: QueryConfig) => Promise<Partial<QueryResult>>
  const markChars = async (config: QueryConfig) => {
    const result = await query(config)
    const columns = (result.fields ?? []).flatMap((field, index) =>
      field.dataTypeID === types.builtins.CHAR ? [index] : [],
    )
    for (const column of columns) result.fields![column]!.dataTypeID = types.builtins.TEXT
    if (result.rows !== undefined) chars.set(result.rows, columns)
    return result
  }
  pool.query = markChars as typeof pool.query
  return { pool, chars }
}

/**
 * The adapter refuses "char", of which PostgreSQL's catalogue is full, so that the engine could read no schema: such
 * columns pass it as text and get their type back here. And it cuts a script at every semicolon and runs the parts on
 * several connections; a migration is sent whole instead: PostgreSQL then runs it in one transaction, and function
 * bodies stay in one piece. Shadow databases are refused: the adapter takes the name from the connection string, so that
 * the shadow would be the database itself.
 */
function adapt({ pool, chars }: Connection): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool)
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = await factory.connect()
      const queryRaw = adapter.queryRaw.bind(adapter)
      adapter.queryRaw = async (query) => {
        const result = await queryRaw(query)
        for (const column of chars.get(result.rows) ?? []) result.columnTypes[column] = ColumnTypeEnum.Character
        return result
      }
      adapter.executeScript = async (script) => {
        await pool.query(script)
      }
      return adapter
    },
    connectToShadowDb: () => Promise.reject(new Error('There is no shadow database.')),
  }
}

let loaded: Promise<typeof SchemaEngine> | undefined

function loadEngine(): Promise<typeof SchemaEngine> {
  loaded ??= instantiate()
  return loaded
}

// By hand, because the package's own entry imports the .wasm file as a module, which Node does not do everywhere.
async function instantiate(): Promise<typeof SchemaEngine> {
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const gluePath = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = await readFile(join(dirname(gluePath), 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': withIdleTimers(glue) })
  glue.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  // Where the engine leaves its last words; Prisma's client sets it, but not every test loads the client.
  const home = globalThis as { PRISMA_WASM_PANIC_REGISTRY?: { set_message(message: string): void } }
  home.PRISMA_WASM_PANIC_REGISTRY ??= { set_message: throwPanic }
  if (typeof start !== 'function') throw new Error('The schema engine has no start function.')
  start()
  return glue.SchemaEngine
}

// The engine gives its own lock 10 s and forgets the timer: a command would end only then.
function withIdleTimers(glue: object): Record<string, unknown> {
  const setIdleTimer = (work: () => void, delayMs: number) => setTimeout(work, delayMs).unref()
  return Object.fromEntries(
    Object.entries(glue).map(([name, value]) => [name, name.startsWith('__wbg_setTimeout_') ? setIdleTimer : value]),
  )
}

function throwPanic(message: string): never {
  throw new Error(`The schema engine panicked: ${message}`)
}
