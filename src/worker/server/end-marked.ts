import { setTimeout as wait } from 'node:timers/promises'
import { identityOf, isRunning, isThere, type ProcessIdentity, processesMarked, signal } from './process-marks.ts'

const POLL_MS = 25
/** What a server has to end by itself: the GPU's memory is free only then. */
const TERM_MS = 3000
/** After SIGKILL only the kernel has to do something. */
const KILL_MS = 2000

/** What is to be ended. */
interface Ending {
  readonly mark: string
  /** The leader of the server's process group; only while it is known to be the server's. */
  readonly group?: number | undefined
  readonly termMs?: number
}

/**
 * Ends everything that carries the mark, first politely: the group, and what left it. Returns how many processes were found.
 * Where the system has no /proc, the group alone.
 */
export async function endMarked({ mark, group, termMs = TERM_MS }: Ending): Promise<number> {
  const own = process.pid
  const found = new Map<number, ProcessIdentity>()
  const left = (): number[] => processesMarked(mark).filter((pid) => pid !== own)
  // A process that is ending has lost its environment before it has closed its files, such as those of the GPU.
  const isOver = (): boolean =>
    left().length === 0 && ![...found.values()].some(isRunning) && (group === undefined || !isThere(-group))
  const send = (name: NodeJS.Signals): void => {
    // Found before the group hears of it: what ends at once could not be counted any more.
    const pids = left()
    for (const pid of pids) if (!found.has(pid)) found.set(pid, identityOf(pid))
    if (group !== undefined && isThere(-group)) signal(-group, name)
    for (const pid of pids) signal(pid, name)
  }
  send('SIGTERM')
  for (const end = performance.now() + termMs; !isOver() && performance.now() < end; ) await wait(POLL_MS)
  // More than once: what is being killed may still start something.
  for (const end = performance.now() + KILL_MS; !isOver() && performance.now() < end; ) {
    send('SIGKILL')
    await wait(POLL_MS)
  }
  return found.size
}
