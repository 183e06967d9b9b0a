import { type ChildProcess, fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { withoutWordsOf } from '../../engines/server-failure.ts'
import { endMarked, MARK_VARIABLE } from './process-marks.ts'
import type { Launch, Launched } from './server-launcher.ts'

const REST_MS = 200
const LAUNCHER = fileURLToPath(new URL('server-launcher.ts', import.meta.url))
const MAX_LINES = 20
const MAX_LINE_CHARACTERS = 4096
const MAX_TEXTS = 64
const LINE_END = /\r\n|\n|\r/
const SECRET_NAME = /key|token|secret|passw/i

export interface ServerProcess {
  readonly started: Promise<number | null>
  readonly ended: Promise<string>
  /** Ends the server and its descendants within seconds. */
  end(): Promise<void>
}

/**
 * Starts a server through a launcher, which ends it if this process dies.
 * @param mark of all its processes
 */
export function startServerProcess(launch: Launch, mark: string, lines: LastLines): ServerProcess {
  const launcher = fork(LAUNCHER, [], {
    // Ctrl-C must reach only the worker, which finishes its jobs first.
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
      await endMarked({ mark, group: (await started) ?? undefined, termMs: 0 })
    },
  }
}

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
  // 'disconnect' follows the last message. 'close' may never come, because descendants can keep the output open.
  const events = ['exit', 'disconnect'].map((event) => new Promise((resolve) => launcher.once(event, resolve)))
  void Promise.all(events).then(() => over('the process that ran it was killed'))
  return { started: started.promise, news: news.promise, gone: gone.promise }
}

/** Keeps a server's last lines without the texts and secrets that it received, because lines are logged and stored. */
export class LastLines {
  readonly #secrets: readonly string[]
  readonly #lines: string[] = []
  readonly #texts: string[] = []

  constructor(env: Readonly<Record<string, string>>) {
    this.#secrets = Object.entries(env).flatMap(([name, value]) =>
      SECRET_NAME.test(name) && value !== '' ? [value] : [],
    )
  }

  follow(stream: Readable): Promise<void> {
    let rest = ''
    stream.setEncoding('utf8')
    stream.on('error', () => undefined)
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split(LINE_END)
      rest = (lines.pop() ?? '').slice(-MAX_LINE_CHARACTERS)
      for (const line of lines) this.#add(line)
    })
    return new Promise((resolve) => {
      stream.once('close', () => {
        this.#add(rest)
        resolve()
      })
    })
  }

  noteSent(texts: readonly string[]): void {
    this.#texts.push(...texts.filter((text) => text !== ''))
    this.#texts.splice(0, Math.max(0, this.#texts.length - MAX_TEXTS))
  }

  last(count = MAX_LINES): string[] {
    return this.#lines.slice(-count).map((line) => withoutWordsOf(this.#withoutSecrets(line), this.#texts))
  }

  #add(line: string): void {
    if (line.trim() === '') return
    this.#lines.push(line.trimEnd().slice(0, MAX_LINE_CHARACTERS))
    this.#lines.splice(0, Math.max(0, this.#lines.length - MAX_LINES))
  }

  #withoutSecrets(line: string): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line)
  }
}
