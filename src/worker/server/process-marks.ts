import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** All processes of a worker's server inherit this variable, whatever their process group. */
export const MARK_VARIABLE = 'SONANT_SERVER_MARK'
const START_FIELD = 19
const POLL_MS = 25
/** A killed server may leave the GPU's memory allocated. */
const TERM_MS = 3000
const KILL_MS = 2000

/** Identifies a process even if its number is reused. */
interface ProcessIdentity {
  readonly pid: number
  readonly startedAt: string | null
}

interface Ending {
  readonly mark: string
  /** Process group of the server, only while its leader is known to be the server. */
  readonly group?: number | undefined
  readonly termMs?: number
}

export const identityOf = (pid: number): ProcessIdentity => ({ pid, startedAt: startOf(pid) })

/** False for a zombie and for a later process with the same number. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  if (startedAt !== null) return startOf(pid) === startedAt && !isZombie(pid)
  return isThere(pid)
}

/** Finds processes with a mark; none without /proc. A random mark protects processes that reuse a number. */
function processesMarked(mark: string): number[] {
  const entry = `${MARK_VARIABLE}=${mark}\0`
  const pids = entriesOf('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => (readOf(`/proc/${pid}/environ`).includes(entry) && !isZombie(pid) ? [Number(pid)] : []))
}

/**
 * Ignores a missing process and one of another user.
 * @param target negative: a process group
 */
function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name)
  } catch {}
}

function isThere(target: number): boolean {
  try {
    return process.kill(target, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const startOf = (pid: number): string | null => statOf(pid)[START_FIELD] ?? null

const isZombie = (pid: number | string): boolean => statOf(pid)[0] === 'Z'

function statOf(pid: number | string): string[] {
  const stat = readOf(`/proc/${pid}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Ends all processes with the mark, by SIGTERM, then SIGKILL; returns their number. Without /proc it ends only the group. */
export async function endMarked({ mark, group, termMs = TERM_MS }: Ending): Promise<number> {
  const own = process.pid
  const found = new Map<number, ProcessIdentity>()
  const left = (): number[] => processesMarked(mark).filter((pid) => pid !== own)
  // A dying process loses its environment before it closes its files, such as those of the GPU.
  const isOver = (): boolean =>
    left().length === 0 && ![...found.values()].some(isRunning) && (group === undefined || !isThere(-group))
  const send = (name: NodeJS.Signals): void => {
    const pids = left()
    for (const pid of pids) if (!found.has(pid)) found.set(pid, identityOf(pid))
    if (group !== undefined && isThere(-group)) signal(-group, name)
    for (const pid of pids) signal(pid, name)
  }
  send('SIGTERM')
  for (const end = performance.now() + termMs; !isOver() && performance.now() < end; ) await wait(POLL_MS)
  for (const end = performance.now() + KILL_MS; !isOver() && performance.now() < end; ) {
    send('SIGKILL')
    await wait(POLL_MS)
  }
  return found.size
}
