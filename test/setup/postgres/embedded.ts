import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { inject, vi } from 'vitest'
import { type Embedded, openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { openLog } from '../../../src/values/log.ts'

const PROCESS = fileURLToPath(new URL('embedded-process.ts', import.meta.url))
const POLLING = { timeout: 60_000, interval: 20 }

interface EmbeddedProcess {
  readonly child: ChildProcess
  readonly ready: Promise<string>
  /** Asks it to end and resolves with its exit code. */
  close(): Promise<number | null>
}

/** Opens things for the tests of the embedded database; `clean` ends and removes all of them. */
export function embeddedWorkshop() {
  const opened: Embedded[] = []
  const processes: EmbeddedProcess[] = []
  const directories: string[] = []
  const directory = async () => {
    const made = await mkdtemp(join(tmpdir(), 'sonant-embedded-'))
    directories.push(made)
    return made
  }
  return {
    /** An empty one. */
    directory,
    /** One whose database is made and migrated: making one takes most of the time of a test that is about something else. */
    made: async () => {
      const dataDir = await directory()
      await promisify(execFile)('cp', ['-a', inject('clusterTemplate'), join(dataDir, 'postgres')])
      return dataDir
    },
    open: async (dataDir: string) => {
      const embedded = await openEmbedded(dataDir, openLog('silent'), { fsync: false })
      opened.push(embedded)
      return embedded
    },
    start: (dataDir: string, env: Readonly<Record<string, string>> = {}) => {
      const started = startProcess(dataDir, env)
      processes.push(started)
      return started
    },
    clean: async () => {
      await Promise.all(opened.splice(0).map((embedded) => embedded.close()))
      await Promise.all(processes.splice(0).map((started) => started.close()))
      for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The number of the running postmaster of a data directory; undefined when none runs. */
export async function postmaster(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || undefined
}

export const until = (condition: () => unknown) => vi.waitUntil(condition, POLLING)

export const isStopped = (dataDir: string) => !existsSync(join(dataDir, 'postgres', 'postmaster.pid'))

export async function ask(embedded: Embedded, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: embedded.url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function startProcess(dataDir: string, env: Readonly<Record<string, string>>): EmbeddedProcess {
  const options = { stdio: 'pipe', env: { ...process.env, ...env } } as const
  const child = spawn(process.execPath, [PROCESS, dataDir], options)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text).trim()))
    ended.then(() => reject(new Error(`the process ended: ${said}`)))
  })
  ready.catch(() => undefined)
  return {
    child,
    ready,
    close: () => {
      child.stdin.on('error', () => undefined).end()
      return ended
    },
  }
}
