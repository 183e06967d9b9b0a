import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import type { RowResult } from './measure.ts'

interface RunOptions {
  /** Takes the name of the row and `args`, and sends a RowPart or several. */
  readonly script: string | URL
  readonly args: readonly string[]
  readonly limitMs: number
  /** Ends the row that runs, and no other one begins. */
  readonly signal: AbortSignal
  /** A row that was told to end closes what it has opened within this time, or is killed. */
  readonly closeMs: number
  /** Called as each row ends. */
  readonly onEnd: (result: RowResult) => void
}

/** The message that a row's process sends. */
export type RowPart = Pick<RowResult, 'measures' | 'notes'>

/** Runs them one after the other, each in a process of its own, so that none leaves anything to the next one. Returns those that have failed. */
export async function runRows(names: readonly string[], options: RunOptions): Promise<string[]> {
  const failed: string[] = []
  for (const name of names) {
    if (options.signal.aborted) break
    if (!(await runRow(name, options))) failed.push(name)
  }
  return failed
}

/** At its limit the row ends with all that it has started. Returns whether it has not failed; the notes say why one has. */
async function runRow(name: string, options: RunOptions): Promise<boolean> {
  const { script, args, limitMs, signal, closeMs, onEnd } = options
  const parts: RowPart[] = []
  // The row's own output goes to stderr, so that stdout holds figures alone.
  const child = fork(script, [name, ...args], { execArgv: [], detached: true, stdio: ['ignore', 2, 2, 'ipc'] })
  child.on('message', (part: RowPart) => parts.push(part))
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  const stop = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  let killing: NodeJS.Timeout | undefined
  stop.addEventListener('abort', () => {
    child.kill('SIGTERM')
    killing = setTimeout(() => killTree(child.pid!), closeMs)
  })
  const [[code, killedBy]] = await ended
  clearTimeout(killing)
  kill(-child.pid!)
  const isLate = stop.aborted && !signal.aborted
  if (stop.aborted) parts.push(failure(isLate ? `it did not end in ${limitMs / 1000} s` : 'it was interrupted'))
  else if (code !== 0 && parts.length === 0) parts.push(failure(`its process ended with ${killedBy ?? code}`))
  onEnd({ name, measures: parts.flatMap(({ measures }) => measures), notes: parts.flatMap(({ notes }) => notes) })
  return !stop.aborted && code === 0
}

const failure = (reason: string): RowPart => ({ measures: [], notes: [`not measured: ${reason}`] })

/** The process with all those below it, some of which lead groups of their own. */
function killTree(root: number): void {
  const listed = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' }).trim().split('\n')
  const below = Map.groupBy(
    listed.map((line) => line.trim().split(/\s+/).map(Number)),
    ([parent]) => parent,
  )
  const tree = [root]
  for (const pid of tree) tree.push(...(below.get(pid) ?? []).map(([, child]) => child!))
  for (const pid of tree) kill(pid)
}

/** @param pid of a process, or below 0 of a group */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
