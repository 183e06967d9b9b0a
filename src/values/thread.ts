import { getCompileCacheDir } from 'node:module'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'

const THREAD_NICENESS = 5

/** Only Linux gives threads a priority of their own; elsewhere this would slow the whole process. */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') lowerPriority(THREAD_NICENESS)
}

export function lowerPriority(niceness: number, set: (niceness: number) => void = setPriority): void {
  try {
    set(niceness)
  } catch {
    // The system may forbid it (a seccomp filter); the work is done all the same.
  }
}

/** The variables of a thread: the shared compile cache, none of the process's secrets. */
export function threadEnvironment(): Readonly<Record<string, string>> {
  const ofThisNode = getCompileCacheDir()
  return ofThisNode === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisNode) }
}
