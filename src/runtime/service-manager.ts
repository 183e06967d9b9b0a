import { execFile } from 'node:child_process'
import type { Log } from '../values/log.ts'

const VARIABLES = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const
/** systemd asks for two, so one may be late. */
const NOTICES_PER_INTERVAL = 3
const NOTICE_TIMEOUT_MS = 5_000
const US_PER_MS = 1000

interface ServiceManager {
  ready(): void
  stopping(): void
}

/**
 * Notifies systemd. It deletes the variables, so that no child process speaks for this one.
 * Node.js has no Unix datagram sockets, so it runs `systemd-notify`.
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
      // A timer stops with a blocked event loop. The database does not count: a restart would not mend it.
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
