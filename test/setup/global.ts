import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { readSettings } from '../../src/context/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { makeCertificates } from './make-certificates.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The maintenance database of the PostgreSQL that the whole run shares. */
    databaseUrl: string
    /** A PostgreSQL at rest, opened once by the service: makeDataDir copies it. */
    clusterTemplate: string
    /** A directory with what testCertificates reads: to make it takes nine processes. */
    certificates: string
    /** A directory for what files share that the first one to need it makes; it goes with the run. */
    shared: string
  }
}

/**
 * One PostgreSQL for the whole run, with the databases that createTestDatabase clones, `sonant_migrated` and `sonant_opened`: the first project
 * that needs it starts it, for all of them.
 */
export async function setup({ vitest }: TestProject): Promise<void> {
  const root = vitest.getRootProject()
  if (root.getProvidedContext().databaseUrl !== undefined) return
  const directory = await mkdtemp(join(tmpdir(), 'sonant-test-'))
  await chmod(directory, 0o755)
  const clusterTemplate = await makeCluster(join(directory, 'template'))
  await promisify(execFile)('cp', ['-a', clusterTemplate, join(directory, 'postgres')])
  const embedded = await openEmbedded(directory, openLog('warn'), { fsync: false })
  const stop = async () => {
    await embedded.close()
    await rm(directory, { recursive: true, force: true })
  }
  const certificates = join(directory, 'certificates')
  const shared = join(directory, 'shared')
  try {
    await mkdir(certificates)
    await mkdir(shared)
    makeCertificates(certificates)
    await makeTemplates(embedded.url, directory)
    root.provide('databaseUrl', embedded.url)
    root.provide('clusterTemplate', clusterTemplate)
    root.provide('certificates', certificates)
    root.provide('shared', shared)
    vitest.onClose(stop)
  } catch (error) {
    await stop()
    throw error
  }
}

/** Makes the same as `sonant start` on an empty directory, without the demo account. A copy takes less time than initdb and all migrations. */
async function makeCluster(dataDir: string): Promise<string> {
  const runtime = await openRuntime(readSettings({ DATA_DIR: dataDir }), openLog('warn'), { supervise: false })
  await runtime.close()
  return join(dataDir, 'postgres')
}

/** Migrated, and also opened once by the service: with its queue and its published endpoint. */
async function makeTemplates(url: string, directory: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create database sonant_migrated')
    const log = openLog('warn')
    const db = openDatabase(inDatabase(url, 'sonant_migrated'), log)
    await migrate(db, log).finally(() => db.close())
    await client.query('create database sonant_opened template sonant_migrated')
    const environment = { DATABASE_URL: inDatabase(url, 'sonant_opened'), DATA_DIR: join(directory, 'opened') }
    const runtime = await openRuntime(readSettings(environment), log, { supervise: false })
    await runtime.close()
    for (const name of ['sonant_migrated', 'sonant_opened']) {
      // PostgreSQL clones only what has no connection: none is let in by mistake.
      await client.query(`alter database ${name} with is_template true allow_connections false`)
    }
  } finally {
    await client.end()
  }
}

function inDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}
