import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { openLog } from '../../src/values/log.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The maintenance database of the PostgreSQL that the whole run shares. */
    databaseUrl: string
  }
}

/**
 * One PostgreSQL for the whole run, with the migrated database `sonant_template` that createTestDatabase clones: the first project that
 * needs it starts it, for all of them.
 */
export async function setup({ vitest }: TestProject): Promise<void> {
  const root = vitest.getRootProject()
  if (root.getProvidedContext().databaseUrl !== undefined) return
  const directory = await mkdtemp(join(tmpdir(), 'sonant-test-'))
  const embedded = await openEmbedded(directory, openLog('warn'), { fsync: false })
  const stop = async () => {
    await embedded.close()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await makeTemplate(embedded.url)
    root.provide('databaseUrl', embedded.url)
    vitest.onClose(stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function makeTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create database sonant_template')
    const template = new URL(url)
    template.pathname = '/sonant_template'
    const log = openLog('warn')
    const db = openDatabase(template.href, log)
    await migrate(db, log).finally(() => db.close())
    // Nobody may connect to it by violation: PostgreSQL clones only what nobody is connected to.
    await client.query('alter database sonant_template with is_template true allow_connections false')
  } finally {
    await client.end()
  }
}
