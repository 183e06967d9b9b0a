import { execFile } from 'node:child_process'
import type { Log } from '../values/log.ts'

/** What systemd sets for a unit with `Type=notify`, and with `WatchdogSec`. */
const VARIABLES = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const
/** systemd asks for two notices an interval: one may come late. */
const NOTICES_PER_INTERVAL = 3
const NOTICE_TIMEOUT_MS = 5_000
/** Sooner than a question that gets no connection is given up. */
const ANSWER_TIMEOUT_MS = 9_000
const US_PER_MS = 1000

/** What started this process, and restarts it when it hangs. */
interface ServiceManager {
  /** The process serves. From now on the watchdog gets a sign of life again and again, unless the process hangs. */
  ready(): void
  /** The process ends on purpose: the watchdog gets no more signs. */
  stopping(): void
}

interface Watched {
  /** Asks the database anything: whatever comes back in time, an error too, shows that the way to it does not hang. */
  answers(): Promise<unknown>
  readonly log: Pick<Log, 'warn'>
}

/**
 * Tells systemd of this process, where it runs under it. The variables are taken out of `env`, so that no process started here speaks for it.
 * systemd hears of it through its own `systemd-notify`: Node.js has no datagram sockets of the kind.
 */
export function openServiceManager(env: NodeJS.ProcessEnv, watched: Watched): ServiceManager {
  const [socket, watchdog, pid] = VARIABLES.map((name) => env[name])
  for (const name of VARIABLES) delete env[name]
  if (socket === undefined || socket === '') return { ready: () => undefined, stopping: () => undefined }
  const notify = notifying({ PATH: env.PATH, NOTIFY_SOCKET: socket }, watched.log)
  const isOurs = pid === undefined || [process.pid, process.ppid].includes(Number(pid))
  const intervalMs = isOurs ? Number(watchdog ?? 0) / US_PER_MS / NOTICES_PER_INTERVAL : 0
  let timer: NodeJS.Timeout | undefined
  return {
    ready: () => {
      notify('READY=1')
      if (intervalMs > 0) timer = watch(intervalMs, watched, () => notify('WATCHDOG=1'))
    },
    stopping: () => {
      clearInterval(timer)
      notify('STOPPING=1')
    },
  }
}

/**
 * An event loop that hangs runs no timer. A database that hangs answers late or never: no sign is sent then, though the question ends at
 * last as an error. One that refuses answers at once: what waits for it to come back does not hang.
 */
function watch(intervalMs: number, { answers }: Watched, notify: () => void): NodeJS.Timeout {
  const latestMs = Math.min(intervalMs, ANSWER_TIMEOUT_MS)
  let isAsking = false
  const ask = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    const begun = performance.now()
    await answers().catch(() => undefined)
    isAsking = false
    if (performance.now() - begun < latestMs) notify()
  }
  return setInterval(() => void ask(), intervalMs).unref()
}

function notifying(env: NodeJS.ProcessEnv, log: Watched['log']): (state: string) => void {
  let isLogged = false
  return (state) => {
    execFile('systemd-notify', [state], { env, timeout: NOTICE_TIMEOUT_MS }, (error) => {
      if (error === null || isLogged) return
      isLogged = true
      log.warn({ err: error.message, state }, 'systemd could not be notified: is systemd-notify in the PATH?')
    })
  }
}
