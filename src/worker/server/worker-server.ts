import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import type { ServerUnwell } from '../../queue/stopping.ts'
import type { Log } from '../../values/log.ts'
import type { Gpu, ServerState, ServerStatus } from '../workers.ts'
import { launchOf, type ServerSpec } from './server-file.ts'
import { HEALTH_TIMES, type HealthTimes, type Neighbours, ServerHealth } from './server-health.ts'
import { LastLines, type ServerProcess, startServerProcess } from './server-process.ts'
import type { ServerRecords } from './server-record.ts'

const MAX_CAUSE_CHARACTERS = 2000
const CAUSE_LINES = 10
/** Counting probes tolerates a pause of this process. */
const UNANSWERED_PROBES = 3

const TIMES: ServerTimes = {
  pollMs: 200,
  probeMs: 2000,
  answerMs: 10_000,
  silenceMs: 30_000,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  steadyMs: 60_000,
  ...HEALTH_TIMES,
}

interface ServerOptions {
  readonly spec: ServerSpec
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly records: ServerRecords
  readonly log: Log
  readonly times?: Partial<ServerTimes>
  now(): Date
  gpus(): readonly Gpu[]
  onReady(): void
  /** Tells other workers the status, and asks for theirs. */
  neighbours(status: ServerStatus): Promise<Neighbours>
  /** Jobs at the server must go to other workers. */
  onShed(reason: ServerUnwell): void
  /**
   * Jobs at the server must be redelivered.
   * @param cause for the operator
   */
  onLost(cause: string): void
}

/** Milliseconds; `backoffMs` doubles up to the longest, and `steadyMs` of readiness resets it. */
export interface ServerTimes extends HealthTimes {
  readonly pollMs: number
  readonly probeMs: number
  readonly answerMs: number
  readonly silenceMs: number
  readonly backoffMs: number
  readonly longestBackoffMs: number
  readonly steadyMs: number
}

interface Watched {
  readonly url: string
  readonly spec: Pick<ServerSpec, 'readyPath' | 'startSeconds'>
  readonly times: ServerTimes
  readonly signal: AbortSignal
  onReady(tookMs: number): void
}

/** Starts, watches, restarts and ends a worker's own server. */
export class WorkerServer {
  readonly health: ServerHealth
  readonly #options: ServerOptions
  readonly #times: ServerTimes
  readonly #stopping = new AbortController()
  #status: ServerStatus
  #url: string | null = null
  #readyAt = 0
  #lines: LastLines
  #running: Promise<void> = Promise.resolve()
  #restarting = Promise.withResolvers<string>()

  constructor(options: ServerOptions) {
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
    this.#lines = new LastLines(options.spec.env)
    this.#status = { state: 'starting', since: options.now(), restarts: 0, error: null }
    this.health = new ServerHealth({
      log: options.log,
      times: this.#times,
      stopping: this.#stopping.signal,
      isUp: () => this.url !== null,
      neighbours: () => options.neighbours(this.status),
      onShed: options.onShed,
      onRoom: options.onReady,
      restart: (cause) => this.#restarting.resolve(cause),
    })
  }

  get url(): string | null {
    return this.#status.state === 'ready' ? this.#url : null
  }

  get status(): ServerStatus {
    const { complaint, pace } = this.health
    if (complaint === null || this.url === null) return { ...this.#status, pace }
    return { ...this.#status, pace, state: 'failed', error: `The worker's server is unwell: ${complaint}` }
  }

  noteSent(texts: readonly string[]): void {
    this.#lines.noteSent(texts)
  }

  async start(): Promise<void> {
    const orphans = await this.#options.records.endOrphans()
    if (orphans > 0) this.#options.log.warn({ processes: orphans }, 'the server of a worker that was killed was ended')
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { backoffMs: first, longestBackoffMs, steadyMs } = this.#times
    const { signal } = this.#stopping
    for (let backoffMs = first; !signal.aborted; ) {
      const { cause, readyMs } = await this.#runOnce().catch((error: Error) => ({ cause: error.message, readyMs: 0 }))
      if (signal.aborted) return
      if (readyMs > steadyMs) backoffMs = first
      this.#failed(cause, backoffMs)
      await wait(backoffMs, undefined, { signal }).catch(() => undefined)
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs)
      this.#set('starting', { restarts: this.#status.restarts + 1 })
    }
  }

  async #runOnce(): Promise<{ cause: string; readyMs: number }> {
    const { spec, environment, records, log } = this.#options
    const port = await freePort()
    const mark = randomUUID()
    this.#lines = new LastLines(spec.env)
    await records.write(mark, null)
    log.info({ port, program: spec.command[0], gpus: spec.gpus }, 'the server is starting')
    const server = startServerProcess(launchOf(spec, port, environment), mark, this.#lines)
    const noted = server.started.then((pid) => (pid === null ? undefined : records.write(mark, pid)))
    const how = await this.#watch(server, `http://127.0.0.1:${port}`)
    const readyMs = this.url === null ? 0 : performance.now() - this.#readyAt
    this.#lost(how)
    await server.end()
    await noted.catch(() => undefined)
    await records.remove(mark)
    return { cause: this.#causeOf(how), readyMs }
  }

  #lost(how: string): void {
    if (this.url === null) return
    const cause = this.#causeOf(how)
    this.#set('failed', { error: cause })
    if (!this.#stopping.signal.aborted) this.#options.onLost(cause)
  }

  async #watch(server: ServerProcess, url: string): Promise<string> {
    const over = new AbortController()
    const signal = AbortSignal.any([this.#stopping.signal, over.signal])
    this.#restarting = Promise.withResolvers()
    const watched = watchServer({
      url,
      spec: this.#options.spec,
      times: this.#times,
      signal,
      onReady: (tookMs) => this.#ready(url, tookMs),
    })
    try {
      return await Promise.race([server.ended, watched, this.#restarting.promise])
    } finally {
      over.abort()
    }
  }

  #ready(url: string, tookMs: number): void {
    const { log, gpus, onReady } = this.#options
    this.#url = url
    this.#readyAt = performance.now()
    this.#set('ready', {})
    log.info({ url, tookMs: Math.round(tookMs), gpus: gpus() }, 'the server is ready')
    onReady()
  }

  #failed(cause: string, backoffMs: number): void {
    const { log, gpus } = this.#options
    this.#set('failed', { error: cause })
    log.warn({ cause, restartInMs: backoffMs, gpus: gpus() }, 'the server failed')
  }

  #causeOf(how: string): string {
    const lines = this.#lines.last(CAUSE_LINES)
    const said = lines.length === 0 ? 'It printed nothing.' : `Its last lines:\n${lines.join('\n')}`
    return `The worker's server failed: ${how}. ${said}`.slice(0, MAX_CAUSE_CHARACTERS)
  }

  #set(state: ServerState, changes: Partial<ServerStatus>): void {
    const since = state === this.#status.state ? this.#status.since : this.#options.now()
    this.#status = { ...this.#status, ...changes, state, since }
  }
}

/** Resolves with the reason if the server is late or stops answering, or when the signal aborts. */
async function watchServer(watched: Watched): Promise<string> {
  try {
    return (await untilReady(watched)) ?? (await untilSilent(watched))
  } catch (error) {
    if (watched.signal.aborted) return 'it was stopped'
    throw error
  }
}

async function untilReady({ url, spec, times, signal, onReady }: Watched): Promise<string | null> {
  const began = performance.now()
  const elapsed = () => performance.now() - began
  const limitMs = spec.startSeconds * 1000
  while (!(await answers(url + spec.readyPath, Math.max(1, Math.min(times.answerMs, limitMs - elapsed())), signal))) {
    if (elapsed() > limitMs) return `it was not ready within ${spec.startSeconds} s (GET ${spec.readyPath})`
    await wait(times.pollMs, undefined, { signal })
  }
  signal.throwIfAborted()
  onReady(elapsed())
  return null
}

async function untilSilent({ url, spec, times, signal }: Watched): Promise<string> {
  for (let [answeredAt, unanswered] = [performance.now(), 0]; ; ) {
    await wait(times.probeMs, undefined, { signal })
    if (await answers(url + spec.readyPath, times.answerMs, signal)) [answeredAt, unanswered] = [performance.now(), 0]
    else unanswered++
    if (unanswered >= UNANSWERED_PROBES && performance.now() - answeredAt > times.silenceMs)
      return `it has not answered for ${Math.round(times.silenceMs / 1000)} s (GET ${spec.readyPath})`
  }
}

async function answers(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    // Only a new connection shows that the server accepts connections.
    const answer = await request(url, { signal: limit, reset: true })
    await answer.body.dump()
    return answer.statusCode >= 200 && answer.statusCode < 300
  } catch {
    return false
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
