import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Tells if a process runs. A process that has ended and was not waited for does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !existsSync('/proc') || !['Z', undefined].includes(statOf(pid)[0])
}

/** Linux alone. */
export const parentOf = (pid: number): number => Number(statOf(pid)[1])

/** Linux alone. */
export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((child) => child > 0 && parentOf(child) === pid)

/** The fields of /proc behind the process's name. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
