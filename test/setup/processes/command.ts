import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { until } from '../wait.ts'
import { lastWordsOf } from './last-words.ts'
import type { Env } from './process.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DEADLINE_MS = 60_000
const OF_A_SIGNAL = 128

const running = new Set<ChildProcess>()

/** A command line as somebody types it: in the package's directory, and in a process group of its own, like one in a terminal. */
export const startCommand = ([command = '', ...args]: readonly string[], env: Env) => {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR, HOST: '127.0.0.1', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  running.add(child)
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  child.once('exit', () => running.delete(child))
  const lastWords = lastWordsOf(child)
  const said = (what: string) =>
    until(
      () => {
        if (!running.has(child)) throw new Error(`${command} ended: ${stderr}${stdout}`)
        return stdout.includes(what)
      },
      DEADLINE_MS,
      `"${what}" from ${command}`,
    )
  return {
    pid: child.pid as number,
    said,
    stdout: () => stdout,
    stderr: () => stderr,
    /** Once all that it has written has come: its code as a shell tells it, also where a signal that came twice met a process that had just finished. */
    ended: async () => {
      await until(() => !running.has(child), DEADLINE_MS, `${command} to end`)
      await lastWords()
      return child.exitCode ?? OF_A_SIGNAL + constants.signals[child.signalCode!]
    },
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** As a terminal does with Ctrl-C. */
    killGroup: (signal: NodeJS.Signals) => void process.kill(-(child.pid as number), signal),
  }
}

/** Ends every group started here that still runs: for afterAll, before cleanUp. */
export const endCommands = (): void => {
  for (const child of running) process.kill(-(child.pid as number), 'SIGKILL')
}
