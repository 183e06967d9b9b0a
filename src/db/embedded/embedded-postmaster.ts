import { spawn } from 'node:child_process'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../../values/data-directory.ts'
import { EmbeddedError } from './embedded-binaries.ts'
import type { Launcher } from './embedded-launcher.ts'

const STOP_DEADLINE_MS = 15_000
const STOP_POLL_MS = 10
const LONGEST_REASON_BYTES = 16_384

export interface Cluster {
  readonly postgres: string
  readonly data: string
  readonly sockets: string
  readonly logFile: string
  readonly launch: () => Promise<Launcher>
  readonly fsync: boolean
}

export interface Attempt {
  ended: 'try again' | EmbeddedError | undefined
}

export const PORT = 5432

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  jit: 'off',
  // Parallel workers need /dev/shm, which containers keep small.
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  // The log must never contain callers' texts, and errors quote values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
}

/**
 * Starts a postmaster in its own session, so that Ctrl-C lets this process drain first. PostgreSQL's postmaster.pid admits one of
 * several.
 */
export async function startPostmaster(cluster: Cluster): Promise<Attempt> {
  const settings = { ...SETTINGS, unix_socket_directories: cluster.sockets, fsync: cluster.fsync ? 'on' : 'off' }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const launch = await cluster.launch()
  const run = launch(cluster.postgres, ['-D', cluster.data, ...options])
  const file = await open(cluster.logFile, 'a', 0o600)
  try {
    const { size } = await file.stat()
    const child = spawn(run.command, run.args, { ...run.options, detached: true, stdio: ['ignore', file.fd, file.fd] })
    const attempt: Attempt = { ended: undefined }
    child.once('error', (error) => {
      attempt.ended = doesNotStart(cluster, error.message)
    })
    child.once('exit', async (code) => {
      attempt.ended = code === 0 || code === null ? 'try again' : await whyEnded(cluster, size)
    })
    child.unref()
    return attempt
  } finally {
    await file.close()
  }
}

/** Shuts PostgreSQL down (fast mode) and waits until it has closed its files. */
export async function stopPostmaster(data: string): Promise<void> {
  const pid = await lockHolder(data)
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return
    throw error
  }
  const deadline = performance.now() + STOP_DEADLINE_MS
  // A container may have no init to reap the process, so the file decides.
  while ((await lockHolder(data)) === pid) {
    if (performance.now() > deadline) throw new EmbeddedError(`The database in ${data} does not stop (process ${pid}).`)
    await wait(STOP_POLL_MS)
  }
}

export async function lockHolder(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => undefined)
  const pid = Number.parseInt(text ?? '', 10)
  return pid > 0 ? pid : undefined
}

async function whyEnded(cluster: Cluster, from: number): Promise<Attempt['ended']> {
  const text = await readFrom(cluster.logFile, from).catch(() => '')
  const reason = /FATAL:\s+(.*)/.exec(text)?.[1] ?? text.trim().split('\n').at(-1) ?? ''
  if (/lock file ".*" already exists|lock file ".*" is empty|pre-existing shared memory/.test(text)) return 'try again'
  return doesNotStart(cluster, reason.replace(/\.$/, '') || `look into ${cluster.logFile}`)
}

async function readFrom(path: string, from: number): Promise<string> {
  const { size } = await stat(path)
  const file = await open(path)
  try {
    const length = Math.min(size - from, LONGEST_REASON_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(length, 0)), 0, Math.max(length, 0), from)
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await file.close()
  }
}

const doesNotStart = (cluster: Cluster, reason: string) =>
  new EmbeddedError(`The database in ${cluster.data} does not start: ${reason}.`)
