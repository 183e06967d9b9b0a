import { readdirSync, readFileSync } from 'node:fs'

/** In the environment of everything that a worker's server is made of: its own processes, and what they start, whatever group that is in. */
export const MARK_VARIABLE = 'SONANT_SERVER_MARK'
/** The field of /proc/<pid>/stat that holds when a process started, counted behind the name in parentheses. */
const START_FIELD = 19

/** A process as no later one with the same number is it. */
export interface ProcessIdentity {
  readonly pid: number
  /** In ticks since the machine started; null where the system does not tell. */
  readonly startedAt: string | null
}

export const identityOf = (pid: number): ProcessIdentity => ({ pid, startedAt: startOf(pid) })

/** Whether this very process still runs: not one that got its number afterwards, nor one that has ended and is not waited for. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  if (startedAt !== null) return startOf(pid) === startedAt && !isZombie(pid)
  return isThere(pid)
}

/**
 * The processes that carry a mark in their environment; on systems without /proc none are known. A mark is random: what has a number of
 * an earlier process by chance does not carry it.
 */
export function processesMarked(mark: string): number[] {
  const entry = `${MARK_VARIABLE}=${mark}\0`
  const pids = entriesOf('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => (readOf(`/proc/${pid}/environ`).includes(entry) && !isZombie(pid) ? [Number(pid)] : []))
}

/** Sends a signal; a process or group that is gone, or not this user's, is left alone. @param target negative: the group */
export function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name)
  } catch {
    // Gone meanwhile.
  }
}

/** Whether a process, or a group if negative, is there. */
export function isThere(target: number): boolean {
  try {
    return process.kill(target, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const startOf = (pid: number): string | null => statOf(pid)[START_FIELD] ?? null

const isZombie = (pid: number | string): boolean => statOf(pid)[0] === 'Z'

/** Behind the name, which may hold anything. */
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
