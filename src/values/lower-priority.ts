import { setPriority } from 'node:os'

const NICENESS = 5

/**
 * Gives this thread a lower priority than the others of its process: the API comes first. On Linux a thread has a priority of its own;
 * elsewhere this would slow the whole process. Where the system forbids it, all threads are equal.
 */
export function lowerPriority(set: (niceness: number) => void = setPriority): void {
  if (process.platform !== 'linux') return
  try {
    set(NICENESS)
  } catch {
    // A seccomp filter refuses it, as that of a systemd unit may.
  }
}
