import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../wait.ts'
import { lastWordsOf } from './last-words.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 30_000

export interface Process {
  readonly pid: number
  readonly runs: () => boolean
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Sends the signal and waits for the end; the exit code, or null where the signal ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

const running = new Set<ChildProcess>()

/** Runs a command until its stdout matches `ready`. Nothing of the test's own environment but what a shell gives; the engine is not warmed up. */
export async function startProcess(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<Process> {
  const { PATH, HOME, TMPDIR, LANG, NODE_COMPILE_CACHE } = process.env
  const child = spawn(command[0]!, command.slice(1), {
    env: { PATH, HOME, TMPDIR, LANG, NODE_COMPILE_CACHE, WARM_UP: 'off', ASK_ENGINES: 'off', ...env },
    cwd: ROOT,
  })
  running.add(child)
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  child.once('exit', () => running.delete(child))
  const lastWords = lastWordsOf(child)
  const runs = () => running.has(child)
  const isReady = () => {
    if (!runs()) throw new Error(`${command.join(' ')} ended at its start: ${stderr}`)
    return ready.test(stdout)
  }
  await until(isReady, START_DEADLINE_MS, `${command.join(' ')} to be ready`)
  return {
    pid: child.pid!,
    runs,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) => void child.kill(signal),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await until(() => !runs(), STOP_DEADLINE_MS, `the process to end after ${signal}`)
      await lastWords()
      return child.exitCode
    },
  }
}

/** `sonant serve` or `sonant work` as an operator starts them. */
export const startRole = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Process> =>
  startProcess([process.execPath, join(ROOT, 'bin/sonant.js'), ...args], env, /^Sonant (listens|works)/m)

/** A worker whose renderings and stored artifacts the test holds back (controlled-worker.ts). */
export const startControlledWorker = (pool: string, controlUrl: string, env: Readonly<Record<string, string>>) =>
  startProcess(
    [process.execPath, join(ROOT, 'test/setup/servers/controlled-worker.ts'), pool, controlUrl],
    env,
    /^works$/m,
  )

/** Ends what is left: for afterAll. */
export async function endProcesses(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  await until(() => running.size === 0, STOP_DEADLINE_MS, 'all processes to end')
}
