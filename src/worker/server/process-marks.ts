import { readdirSync, readFileSync } from 'node:fs'

/** All processes of a worker's server inherit this variable, whatever their process group. */
export const MARK_VARIABLE = 'SONANT_SERVER_MARK'
const START_FIELD = 19

/** Identifies a process even if its number is reused. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startedAt: string | null
}

export const identityOf = (pid: number): ProcessIdentity => ({ pid, startedAt: startOf(pid) })

/** False for a zombie and for a later process with the same number. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  if (startedAt !== null) return startOf(pid) === startedAt && !isZombie(pid)
  return isThere(pid)
}

/** Finds processes with a mark; none without /proc. A random mark protects processes that reuse a number. */
export function processesMarked(mark: string): number[] {
  const entry = `${MARK_VARIABLE}=${mark}\0`
  const pids = entriesOf('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => (readOf(`/proc/${pid}/environ`).includes(entry) && !isZombie(pid) ? [Number(pid)] : []))
}

/**
 * Ignores a missing process and one of another user.
 * @param target negative: a process group
 */
export function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name)
  } catch {}
}

export function isThere(target: number): boolean {
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
