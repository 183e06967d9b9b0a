import { setPriority } from 'node:os'

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
