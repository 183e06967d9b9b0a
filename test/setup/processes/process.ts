import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { call, freePorts } from '../http.ts'
import { until } from '../wait.ts'
import { lastWordsOf } from './last-words.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MAIN = join(ROOT, 'bin/sonant.js')
// Reached only by what is broken: a busy machine takes most of a minute.
const START_DEADLINE_MS = 90_000
const STOP_DEADLINE_MS = 60_000
const COMMAND_DEADLINE_MS = 90_000
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
const KEY = /snt_([0-9a-z]_)?[0-9A-Za-z]{42}/

export type Ran = { code: number; stdout: string; stderr: string }
export type Env = Record<string, string | undefined>
/** `isFirst`: on an empty directory, which takes twice the processor time of one that makeDataDir fills. */
type StartOptions = { env?: Env; dataDir?: string; port?: number; awaitKey?: boolean; isFirst?: boolean }
export type Service = Awaited<ReturnType<typeof startService>>

const processes = new Set<ChildProcess>()
const directories = new Set<string>()

/** A new directory below the system's temporary one, readable by the user that PostgreSQL runs as; cleanUp removes it. */
export const makeTempDir = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-'))
  directories.add(directory)
  await chmod(directory, 0o755)
  return directory
}

/** A data directory whose database is made and migrated: on it the service starts as for the first time in all other respects. */
export const makeDataDir = async (): Promise<string> => {
  const dataDir = join(await makeTempDir(), 'data')
  await mkdir(dataDir, { mode: 0o700 })
  await promisify(execFile)('cp', ['-a', inject('clusterTemplate'), join(dataDir, 'postgres')])
  return dataDir
}

/** Ends every process started here and removes every directory made here: for afterAll. */
export const cleanUp = async (): Promise<void> => {
  for (const child of processes) child.kill('SIGKILL')
  for (const directory of directories) {
    await until(() => processesOf(directory).every((pid) => !quit(pid)), STOP_DEADLINE_MS, 'PostgreSQL to end')
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    directories.delete(directory)
  }
}

const quit = (pid: number): boolean => spawnSync('sh', ['-c', `kill -QUIT ${pid}`]).status === 0

/** Ids of the processes whose command line names the directory (Linux only; elsewhere none). */
export const processesOf = (directory: string): number[] => {
  const entries = existsSync('/proc') ? readdirSync('/proc') : []
  return entries.filter((pid) => commandLineOf(pid).includes(directory)).map(Number)
}

const commandLineOf = (pid: string): string => {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
  } catch {
    return ''
  }
}

/** Nothing of the test's own environment but what a shell gives: no NODE_OPTIONS, no DATABASE_URL. Warming up takes more processor time than most tests. */
export const environment = (env: Env): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR, LANG } = process.env
  const all = { PATH, HOME, TMPDIR, LANG, HOST: '127.0.0.1', WARM_UP: 'off', ASK_ENGINES: 'off', ...env }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Runs the command line once, to its end. */
export const run = async (args: string[], env: Env): Promise<Ran> => {
  const { code, stdout, stderr } = await runForBytes(args, env)
  return { code, stdout: stdout.toString(), stderr }
}

/** The same for a command that writes something else than text. */
export const runForBytes = (
  args: string[],
  env: Env,
): Promise<{ code: number; stdout: Buffer<ArrayBuffer>; stderr: string }> =>
  new Promise((resolve) => {
    const limits = { timeout: COMMAND_DEADLINE_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const
    const options = { env: environment(env), cwd: ROOT, encoding: 'buffer', ...limits } as const
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) || 1 : 0, stdout, stderr: stderr.toString() }),
    )
  })

/** Runs a command with --json; its whole stdout must be one JSON document. */
export const sonantOn = async <T = Record<string, unknown>>(env: Env, ...args: string[]): Promise<T> =>
  jsonOf<T>(args, await run([...args, '--json'], env))

export const jsonOf = <T>(args: readonly string[], { code, stdout, stderr }: Ran): T => {
  if (code !== 0) throw new Error(`sonant ${args.slice(0, 2).join(' ')} exited with ${code}: ${stderr}`)
  return JSON.parse(stdout) as T
}

/** The service as a second process, on a directory and a port of its own, ready when this returns. */
export const startService = async (options: StartOptions = {}) => {
  const isPrepared = options.isFirst !== true && options.env?.DATABASE_URL === undefined
  const dataDir = options.dataDir ?? (isPrepared ? await makeDataDir() : join(await makeTempDir(), 'data'))
  const port = options.port ?? (await freePorts(1))[0]!
  const awaitCurl = options.awaitKey ?? (options.dataDir === undefined || !existsSync(dataDir))
  const env: Env = { DATA_DIR: dataDir, PORT: String(port), ...options.env }
  const url = `http://127.0.0.1:${port}`
  const started = launch(env)
  const ready = async () => {
    if (!started.runs()) throw new Error(`the service ended at its start: ${started.stderr()}${started.stdout()}`)
    const answer = await call(`${url}/health/ready`).catch(() => undefined)
    return answer?.status === 200 && (!awaitCurl || findCurl(started.stdout()) !== '')
  }
  await until(ready, START_DEADLINE_MS, 'the service to be ready')
  const key = KEY.exec(started.stdout())?.[0] ?? ''
  const sonant = <T = Record<string, unknown>>(...args: string[]) => sonantOn<T>(env, ...args)
  return { ...started, url, port, dataDir, env, key, curl: findCurl(started.stdout()), sonant }
}

const launch = (env: Env) => {
  const child = spawn(process.execPath, [MAIN, 'start'], { env: environment(env), cwd: ROOT })
  let [stdout, stderr] = ['', '']
  processes.add(child)
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  // Not 'close': after SIGKILL a surviving PostgreSQL may hold the pipes open.
  child.once('exit', () => processes.delete(child))
  const lastWords = lastWordsOf(child)
  const runs = () => processes.has(child)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await until(() => !runs(), STOP_DEADLINE_MS, `the service to end after ${signal}`)
    await lastWords()
    return child.exitCode
  }
  return { pid: child.pid!, runs, stop, kill9: () => stop('SIGKILL'), stdout: () => stdout, stderr: () => stderr }
}

/** The curl command among printed lines, with the lines that a backslash or an open quote continues. */
const findCurl = (output: string): string => {
  const lines = output.slice(0, output.lastIndexOf('\n') + 1).split('\n')
  const first = lines.findIndex((line) => /^\s*(\$ )?curl /.test(line))
  if (first < 0) return ''
  for (let last = first; last < lines.length - 1; last++) {
    const command = lines.slice(first, last + 1).join('\n')
    if (!command.endsWith('\\') && command.split("'").length % 2 === 1) return command.replace(/^\s*(\$ )?/, '')
  }
  return ''
}
