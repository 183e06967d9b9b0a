import { setPriority } from 'node:os'

const THREAD_NICENESS = 5

/**
 * Gives this thread a lower priority than the others of its process: the API comes first. On Linux a thread has a priority of its own;
 * elsewhere this would slow the whole process.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') lowerPriority(THREAD_NICENESS)
}

/** Where the system forbids it, as the seccomp filter of a systemd unit may, the priority stays. */
export function lowerPriority(niceness: number, set: (niceness: number) => void = setPriority): void {
  try {
    set(niceness)
  } catch {
    // What has the same priority as everything else is done all the same.
  }
}
