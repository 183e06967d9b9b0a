import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { runProgram } from '../../../src/cli/run-program.ts'
import { type Env, environment, jsonOf, type Ran } from './process.ts'

type Write = typeof process.stdout.write

let before: Promise<unknown> = Promise.resolve()

/**
 * Does the same as `run` in this process: a process of its own takes most of a second of processor time. Only a process shows that a command
 * ends, and with which status.
 */
export function runHere(args: readonly string[], env: Env): Promise<Ran> {
  // One after the other: the environment and the streams are the process's.
  const ran = before.then(() => runAlone(args, env))
  before = ran.catch(() => undefined)
  return ran
}

/** Does the same as `sonantOn` in this process. */
export const sonantHere = async <T = Record<string, unknown>>(env: Env, ...args: string[]): Promise<T> =>
  jsonOf<T>(args, await runHere([...args, '--json'], env))

/** A priority that was lowered stays so, for all tests that follow in this process. */
function keepPriority(): () => void {
  const { setPriority } = os
  const put = (set: typeof setPriority) => {
    os.setPriority = set
    syncBuiltinESMExports()
  }
  put(() => undefined)
  return () => put(setPriority)
}

async function runAlone(args: readonly string[], env: Env): Promise<Ran> {
  const { stdout, stderr, env: own, exitCode } = process
  const [writeOut, writeError, listeners] = [stdout.write, stderr.write, stdout.listeners('error')]
  const ran = { code: 0, stdout: '', stderr: '' }
  const collect = (stream: 'stdout' | 'stderr'): Write =>
    ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      ran[stream] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }) as Write
  const restorePriority = keepPriority()
  process.env = environment(env)
  process.exitCode = 0
  stdout.write = collect('stdout')
  stderr.write = collect('stderr')
  try {
    await runProgram([process.execPath, 'sonant', ...args])
    ran.code = Number(process.exitCode)
  } finally {
    restorePriority()
    stdout.write = writeOut
    stderr.write = writeError
    process.env = own
    process.exitCode = exitCode
    const added = stdout.listeners('error').filter((listener) => !listeners.includes(listener))
    for (const listener of added) stdout.off('error', listener as () => void)
  }
  return ran
}
