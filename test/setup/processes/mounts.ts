import { execFileSync } from 'node:child_process'
import { type Process, startProcess } from './processes.ts'

/** Tells if this user may have mounts of its own: otherwise tests that need them are skipped. */
export function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /tmp'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** `sonant start` in a mount namespace of its own, after a line of shell there that finds `place` as `$1`. */
export const startMounted = (shell: string, place: string, env: Readonly<Record<string, string>>): Promise<Process> => {
  const script = `${shell} && exec "$2" bin/sonant.js start`
  return startProcess(['unshare', '-m', 'sh', '-c', script, 'sh', place, process.execPath], env, /^Sonant listens/m)
}

/** Runs a line of shell where a process's mounts are, as root of that namespace. */
export const insideOf = ({ pid }: Process, shell: string): void =>
  void execFileSync('nsenter', ['-t', String(pid), '-m', 'sh', '-c', shell], { stdio: 'pipe' })
