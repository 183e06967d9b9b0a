import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endMarked } from './end-marked.ts'
import type { LastLines } from './last-lines.ts'
import { MARK_VARIABLE } from './process-marks.ts'
import type { Launch, Launched } from './server-launcher.ts'

/** How long the last lines of a server that is gone are waited for: what it has left behind may hold its output open. */
const REST_MS = 200
const LAUNCHER = fileURLToPath(new URL('server-launcher.ts', import.meta.url))

/** One run of a server. */
export interface ServerProcess {
  /** Its process id once it runs; null: it never did. */
  readonly started: Promise<number | null>
  /** Settles when the server has ended, with how. What it has started may still be there. */
  readonly ended: Promise<string>
  /** Ends it, and everything that it has started, within a few seconds. */
  end(): Promise<void>
}

/**
 * Starts a server by way of a launcher, which ends it when this process is gone.
 * @param mark what all of its processes carry
 * @param lines gets what it prints
 */
export function startServerProcess(launch: Launch, mark: string, lines: LastLines): ServerProcess {
  const launcher = fork(LAUNCHER, [], {
    // Not of this process's group: Ctrl-C is for the worker, which lets its jobs finish first.
    detached: true,
    execArgv: [],
    env: { [MARK_VARIABLE]: mark },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { started, news, gone } = follow(launcher)
  const streams = [launcher.stdout, launcher.stderr].filter((stream) => stream !== null)
  const printed = Promise.all(streams.map((stream) => lines.follow(stream)))
  launcher.send({ command: launch.command, env: { ...launch.env, [MARK_VARIABLE]: mark } } satisfies Launch)
  return {
    started,
    ended: news.then(async (how) => {
      await Promise.race([printed, wait(REST_MS)])
      return how
    }),
    end: async () => {
      if (launcher.connected) launcher.disconnect()
      await gone
      // Where the launcher itself was killed.
      await endMarked({ mark, group: (await started) ?? undefined, termMs: 0 })
    },
  }
}

/** What the launcher says, and its end. */
function follow(launcher: ChildProcess) {
  const started = Promise.withResolvers<number | null>()
  const news = Promise.withResolvers<string>()
  const gone = Promise.withResolvers<void>()
  launcher.on('message', (message) => {
    const heard = message as Launched
    if ('pid' in heard) started.resolve(heard.pid)
    else news.resolve(heard.ended)
  })
  const over = (how: string): void => {
    started.resolve(null)
    news.resolve(how)
    gone.resolve()
  }
  launcher.once('error', (error) => over(`its launcher could not be started (${error.message})`))
  // The channel ends behind the last message. Not 'close': what left the server's group may hold its output open.
  const events = ['exit', 'disconnect'].map((event) => new Promise((resolve) => launcher.once(event, resolve)))
  void Promise.all(events).then(() => over('the process that ran it was killed'))
  return { started: started.promise, news: news.promise, gone: gone.promise }
}
