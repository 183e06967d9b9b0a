import { execFile } from 'node:child_process'
import type { Log } from '../values/log.ts'

/** What systemd sets for a unit with `Type=notify`, and with `WatchdogSec`. */
const VARIABLES = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const
/** systemd asks for two notices an interval: one may come late. */
const NOTICES_PER_INTERVAL = 3
const NOTICE_TIMEOUT_MS = 5_000
const US_PER_MS = 1000

/** What started this process, and restarts it when it hangs. */
interface ServiceManager {
  /** The process serves. From now on the watchdog gets a sign of life again and again, for as long as the event loop turns. */
  ready(): void
  /** The process ends on purpose: the watchdog gets no more signs. */
  stopping(): void
}

/**
 * Tells systemd of this process, where it runs under it. The variables are taken out of `env`, so that no process started here speaks for it.
 * systemd hears of it through its own `systemd-notify`: Node.js has no datagram sockets of the kind.
 */
export function openServiceManager(env: NodeJS.ProcessEnv, log: Pick<Log, 'warn'>): ServiceManager {
  const [socket, watchdog, pid] = VARIABLES.map((name) => env[name])
  for (const name of VARIABLES) delete env[name]
  if (socket === undefined || socket === '') return { ready: () => undefined, stopping: () => undefined }
  const notify = notifying({ PATH: env.PATH, NOTIFY_SOCKET: socket }, log)
  const isOurs = pid === undefined || [process.pid, process.ppid].includes(Number(pid))
  const intervalMs = isOurs ? Number(watchdog ?? 0) / US_PER_MS / NOTICES_PER_INTERVAL : 0
  let timer: NodeJS.Timeout | undefined
  return {
    ready: () => {
      notify('READY=1')
      // A timer alone: an event loop that stands still runs none. The database is not asked, since a new process would wait for it as well.
      if (intervalMs > 0) timer = setInterval(() => notify('WATCHDOG=1'), intervalMs).unref()
    },
    stopping: () => {
      clearInterval(timer)
      notify('STOPPING=1')
    },
  }
}

function notifying(env: NodeJS.ProcessEnv, log: Pick<Log, 'warn'>): (state: string) => void {
  let isLogged = false
  return (state) => {
    execFile('systemd-notify', [state], { env, timeout: NOTICE_TIMEOUT_MS }, (error) => {
      if (error === null || isLogged) return
      isLogged = true
      log.warn({ err: error.message, state }, 'systemd could not be notified: is systemd-notify in the PATH?')
    })
  }
}
