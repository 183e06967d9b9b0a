import { setTimeout as wait } from 'node:timers/promises'
import { suspicionOf } from '../../engines/ask-watched.ts'
import { EngineError } from '../../engines/engine.ts'
import type { GoodAnswer, Probe, Suspicion } from '../../engines/engine-block.ts'
import { ServerUnwell } from '../../queue/stopping.ts'
import type { Log } from '../../values/log.ts'

/** So many requests fail in a row before a server that cannot be probed counts as unwell. */
const FAILED_REQUESTS = 3
const MUCH_LONGER = 4
const PROBE_SECONDS = 2
const OWN_PACE_KEPT = 0.95
const FRESH_MS = 1000
const BROKEN_MS = 1000

export const HEALTH_TIMES: HealthTimes = {
  leastHangMs: 2000,
  refusalMs: 15_000,
  pauseMs: 1000,
  longestPauseMs: 10_000,
  restartMs: 20_000,
  soleRestartMs: 60_000,
  longestRestartMs: 600_000,
}

/** Milliseconds; pauses and restarts double up to the longest. */
export interface HealthTimes {
  readonly leastHangMs: number
  /** A server that says for so long that it is full, and answers nothing meanwhile, is tried. */
  readonly refusalMs: number
  readonly pauseMs: number
  readonly longestPauseMs: number
  readonly restartMs: number
  /** Without a worker that is well, jobs first wait as long as their patience is. */
  readonly soleRestartMs: number
  readonly longestRestartMs: number
}

/** Other living workers whose own servers are well. */
export interface Neighbours {
  readonly well: number
  /** The slowest of them, in seconds for each second of speech; null if none has spoken yet. */
  readonly pace: number | null
}

interface HealthOptions {
  readonly log: Log
  readonly times: HealthTimes
  readonly stopping: AbortSignal
  /** The server accepts connections. */
  isUp(): boolean
  /** Tells other workers the state of this one's server, and asks for theirs. */
  neighbours(): Promise<Neighbours>
  /** Jobs at the server must go to other workers. */
  onShed(reason: ServerUnwell): void
  onRoom(): void
  restart(cause: string): void
}

/**
 * Judges a worker's server by its answers. While it is unwell and other workers have servers that are well, it gets no jobs. It is
 * probed, and started again if that goes on; then it gets one job, and after a good answer as many as before.
 */
export class ServerHealth {
  readonly #options: HealthOptions
  #state: 'well' | 'unwell' | 'trial' = 'well'
  #reason: string | null = null
  #isShed = false
  #judging: Promise<void> | undefined
  #failures = 0
  #goodProbe: Probe | undefined
  #probe: Probe | undefined
  #pace: number | null = null
  #asked: { readonly at: number; readonly answer: Promise<Neighbours | null> } | undefined
  #restartMs: number
  #goodAnswers = 0
  #refusesSince: number | null = null

  constructor(options: HealthOptions) {
    this.#options = options
    this.#restartMs = options.times.restartMs
  }

  /** Null unless the server is unwell. */
  get complaint(): string | null {
    return this.#state === 'unwell' ? this.#reason : null
  }

  get pace(): number | null {
    return this.#pace
  }

  /** The most jobs at once. */
  get most(): number {
    if (!this.#isShed) return Number.POSITIVE_INFINITY
    return this.#state === 'trial' ? 1 : 0
  }

  noteGood({ pace, probe }: GoodAnswer): void {
    if (pace !== undefined) this.#pace = Math.max(pace, (this.#pace ?? 0) * OWN_PACE_KEPT)
    this.#goodProbe = probe ?? this.#goodProbe
    this.#goodAnswers++
    this.#failures = 0
    this.#refusesSince = null
    if (this.#state !== 'well') this.#recovered()
  }

  async hangs(expectedSeconds: number, signal: AbortSignal): Promise<void> {
    const begun = performance.now()
    const { leastHangMs } = this.#options.times
    for (let pauseMs = leastHangMs; ; pauseMs = FRESH_MS) {
      await wait(pauseMs, undefined, { signal })
      const limitMs = await this.#limitMs(expectedSeconds)
      if (this.#state !== 'unwell' && limitMs !== null && performance.now() - begun >= limitMs) return
    }
  }

  /** @throws ServerUnwell */
  async judge(suspicion: Suspicion): Promise<void> {
    if (this.#state !== 'unwell' && (!suspicion.isRefusal || this.#refusesAll())) {
      this.#judging ??= this.#try(suspicion).finally(() => {
        this.#judging = undefined
      })
      await this.#judging
    }
    if (this.#state === 'unwell' && this.#isShed) throw this.#unwell()
  }

  #refusesAll(): boolean {
    this.#refusesSince ??= performance.now()
    return performance.now() - this.#refusesSince >= this.#options.times.refusalMs
  }

  /** Null if nobody knows how long an answer takes. */
  async #limitMs(expectedSeconds: number): Promise<number | null> {
    const others = await this.#neighbours()
    const pace = Math.max(this.#pace ?? 0, others?.pace ?? 0)
    if (pace === 0) return null
    return Math.max(this.#options.times.leastHangMs, MUCH_LONGER * pace * expectedSeconds * 1000)
  }

  async #try({ reason, hasBroken = false, isRefusal = false, probe }: Suspicion): Promise<void> {
    const { stopping, isUp } = this.#options
    // By then the worker knows of a server that has ended.
    if (hasBroken) await wait(BROKEN_MS, undefined, { signal: stopping }).catch(() => undefined)
    if (!isUp()) return
    this.#probe = this.#goodProbe ?? probe
    if (this.#probe !== undefined) {
      const before = this.#goodAnswers
      const judge = isRefusal ? refusalIn : complaintIn
      const complaint = await this.#complaintOf(this.#probe, await this.#limitMs(PROBE_SECONDS), judge)
      if (complaint !== null && this.#goodAnswers === before) await this.#fallIll(complaint)
      return
    }
    this.#failures++
    if (this.#state === 'trial') await this.#fallIll(reason)
    else if (this.#failures >= FAILED_REQUESTS) await this.#doubt(reason)
  }

  /**
   * The inputs may be the fault: another job is tried alone.
   * @throws ServerUnwell
   */
  async #doubt(reason: string): Promise<void> {
    const others = await this.#neighbours()
    if ((others?.well ?? 0) === 0) return this.#fallIll(reason)
    this.#state = 'trial'
    this.#isShed = true
    this.#reason = reason
    throw this.#unwell()
  }

  /** Null if the server is well. */
  async #complaintOf(
    probe: Probe,
    limitMs: number | null,
    judge: (error: unknown) => string | null,
  ): Promise<string | null> {
    const { stopping, times } = this.#options
    const limit = AbortSignal.timeout(Math.ceil(limitMs ?? times.soleRestartMs))
    try {
      await probe(AbortSignal.any([stopping, limit]))
      return null
    } catch (error) {
      if (limit.aborted) return 'It does not answer.'
      return stopping.aborted ? null : judge(error)
    }
  }

  async #fallIll(reason: string): Promise<void> {
    const { log } = this.#options
    if (this.#options.stopping.aborted) return
    this.#state = 'unwell'
    this.#reason = reason
    this.#failures = 0
    await this.#lookAround()
    log.warn({ reason, jobsGoElsewhere: this.#isShed }, 'the server is unwell')
    void this.#untilTried().catch(() => undefined)
  }

  async #lookAround(): Promise<void> {
    this.#asked = undefined
    const others = await this.#neighbours()
    const [wasShed, isShed] = [this.#isShed, others === null ? this.#isShed : others.well > 0]
    if (this.#state !== 'unwell') return
    this.#isShed = isShed
    if (isShed) this.#options.onShed(this.#unwell())
    else if (wasShed) this.#options.onRoom()
  }

  /** Null if the database does not answer. */
  #neighbours(): Promise<Neighbours | null> {
    const now = performance.now()
    if (this.#asked === undefined || now - this.#asked.at > FRESH_MS)
      this.#asked = { at: now, answer: this.#options.neighbours().catch(() => null) }
    return this.#asked.answer
  }

  async #untilTried(): Promise<void> {
    const { stopping, times, isUp, restart } = this.#options
    let since = performance.now()
    let isFresh = false
    for (let pauseMs = times.pauseMs; ; pauseMs = Math.min(2 * pauseMs, times.longestPauseMs)) {
      await wait(pauseMs, undefined, { signal: stopping })
      await this.#lookAround()
      if (this.#state !== 'unwell') return
      if (!isUp()) continue
      if (await this.#mayTry(isFresh)) return
      isFresh = false
      const least = this.#isShed ? 0 : times.soleRestartMs
      if (performance.now() - since < Math.max(least, this.#restartMs)) continue
      this.#restartMs = Math.min(2 * this.#restartMs, times.longestRestartMs)
      since = performance.now()
      isFresh = true
      restart(`it is unwell: ${this.#reason}`)
    }
  }

  /** After a restart a job may succeed where the probe does not: the probe may have been the fault. */
  async #mayTry(isFresh: boolean): Promise<boolean> {
    if (this.#probe !== undefined) {
      const complaint = await this.#complaintOf(this.#probe, this.#restartMs, anyComplaint)
      if (this.#state !== 'unwell') return true
      if (complaint !== null && !isFresh) return false
      if (complaint === null && !this.#isShed) this.#recovered()
    }
    if (!this.#isShed) return this.complaint === null
    this.#state = 'trial'
    this.#options.onRoom()
    return true
  }

  #recovered(): void {
    this.#state = 'well'
    this.#reason = null
    this.#isShed = false
    this.#restartMs = this.#options.times.restartMs
    this.#options.log.info('the server is well again')
    this.#options.onRoom()
  }

  #unwell(): ServerUnwell {
    return new ServerUnwell(`the server is unwell: ${this.#reason}`)
  }
}

/** A well server may be full. */
const complaintIn = (error: unknown): string | null => (suspicionOf(error)?.isRefusal ? null : refusalIn(error))

/** Null for errors that a well server may cause. */
const refusalIn = (error: unknown): string | null => suspicionOf(error)?.reason ?? null

/** A server that has not answered yet is not well again. */
function anyComplaint(error: unknown): string | null {
  const isRejected = error instanceof EngineError && ['RENDER_FAILED', 'INTERNAL_ERROR'].includes(error.code)
  return complaintIn(error) ?? (isRejected ? null : (error as Error).message)
}
