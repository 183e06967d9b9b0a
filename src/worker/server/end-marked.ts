import { setTimeout as wait } from 'node:timers/promises'
import { identityOf, isRunning, isThere, type ProcessIdentity, processesMarked, signal } from './process-marks.ts'

const POLL_MS = 25
/** A killed server may leave the GPU's memory allocated. */
const TERM_MS = 3000
const KILL_MS = 2000

interface Ending {
  readonly mark: string
  /** Process group of the server, only while its leader is known to be the server. */
  readonly group?: number | undefined
  readonly termMs?: number
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
