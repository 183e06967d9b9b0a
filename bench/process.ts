import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const READY_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 20_000

export type Variables = Readonly<Record<string, string>>

/** As `npm start` sets them. */
export const MALLOC: Variables = { MALLOC_TRIM_THRESHOLD_: '1048576', MALLOC_MMAP_THRESHOLD_: '4194304' }

export interface Launched {
  /** The line that told that it was ready. */
  readonly line: string
  /** From the spawn to that line. */
  readonly readyMs: number
  readonly pid: number
  /** SIGTERM, then SIGKILL to one that does not end. Harmless when it has ended already. */
  stop(): Promise<void>
}

/** All that were launched and have not ended. */
const running = new Set<ChildProcess>()

/** Has all of them stop, at once: those that are not ready yet as well. */
export const stopLaunched = (): Promise<unknown> => Promise.all([...running].map(end))

/** Runs a script with the node that runs this one, until `ready` matches a line of its output. Throws with its stderr when it ends before. */
export async function launch(args: readonly string[], variables: Variables, ready: RegExp): Promise<Launched> {
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: environmentOf(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child)).once('error', () => running.delete(child))
  const stop = () => end(child)
  try {
    const line = await lineOf(child, ready)
    return { line, readyMs: performance.now() - started, pid: child.pid ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Only what a shell gives: no NODE_OPTIONS and no DATABASE_URL of the shell that runs the benchmark. */
export function environmentOf(variables: Variables): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG } = process.env
  return { PATH, HOME, TMPDIR, LANG, ...variables }
}

/** Resident memory of a running process, in MiB. Linux only. */
export const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

function lineOf(child: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', '']
    const timer = setTimeout(() => reject(new Error(`not ready in ${READY_DEADLINE_MS} ms`)), READY_DEADLINE_MS)
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-4000)
    })
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout = (stdout + chunk).slice(-4000)
      const line = stdout.split('\n').find((candidate) => ready.test(candidate))
      if (line === undefined) return
      clearTimeout(timer)
      resolve(line)
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`${child.spawnargs.slice(1, 3).join(' ')} ended with ${code}: ${stderr}`))
    })
  })
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}
