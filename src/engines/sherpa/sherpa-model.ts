import { createRequire } from 'node:module'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { timeLimit } from '../../concurrency/time-limit.ts'
import { EngineError, FailedAttempt, type SpeechRequest } from '../engine.ts'
import { withoutWordsOf } from '../server-failure.ts'
import type { SherpaAnswer, SherpaAsk } from './sherpa-child.ts'
import { ChildEnded, SherpaProcess } from './sherpa-process.ts'

const LOAD_TIMEOUT_MS = 120_000
const PACKAGE = 'sherpa-onnx-node'
/** The package that holds the library of this platform. */
const PLATFORM_PACKAGE = `sherpa-onnx-${process.platform}-${process.arch}`
const NOT_INSTALLED = `the packages ${PACKAGE} and ${PLATFORM_PACKAGE}, which Sonant brings unless it is installed with --omit=optional, are not installed where this worker runs`

export type Spoken = Extract<SherpaAnswer, { spoken: object }>['spoken']
type Loaded = Extract<SherpaAnswer, { loaded: object }>['loaded']
type Speak = Extract<SherpaAsk, { speak: object }>['speak']

type Waiting = Pick<SpeechRequest, 'signal' | 'awaitedBy'>

type SpeakOutcome = Spoken | { readonly failed: string }

/** Runs up to `slots` processes and replaces ended ones. */
export class SherpaModel {
  readonly #config: () => Promise<object>
  readonly #slots: Semaphore
  readonly #idle: SherpaProcess[] = []
  readonly #all = new Set<SherpaProcess>()
  #loaded: Loaded | undefined
  #isClosed = false

  /** @param config asked at every start, because files may change */
  constructor(config: () => Promise<object>, slots: number) {
    this.#config = config
    this.#slots = new Semaphore(() => slots)
  }

  /** @throws FailedAttempt if a file is missing; EngineError INTERNAL_ERROR if it cannot be loaded; the signal's reason */
  async speakers(signal: AbortSignal, awaitedBy?: string): Promise<number> {
    if (this.#loaded === undefined)
      await this.#slots.run(signal, async () => this.#release(await this.#process(signal)), awaitedBy)
    return Math.max(1, this.#loaded?.speakers ?? 1)
  }

  /**
   * Kills the process on abort or after `limitMs`.
   * @throws FailedAttempt if the process ended; else as `speakers`
   */
  speak(speak: Speak, limitMs: number, { signal, awaitedBy }: Waiting): Promise<SpeakOutcome> {
    const ask = async (): Promise<SpeakOutcome> => {
      const child = await this.#process(signal)
      try {
        const answer = await askWithin(child, { speak }, limitMs, signal)
        this.#release(child)
        if ('spoken' in answer) return answer.spoken
        return { failed: 'failed' in answer ? withoutWordsOf(answer.failed, [speak.text]) : 'no audio came' }
      } catch (error) {
        this.#drop(child)
        signal.throwIfAborted()
        const reason = withoutWordsOf((error as Error).message, [speak.text])
        throw new FailedAttempt(`The process that speaks ended (${reason}).`)
      }
    }
    return this.#slots.run(signal, ask, awaitedBy)
  }

  /** @throws FailedAttempt if a file is missing */
  async probe(): Promise<void> {
    if (this.#idle.some(({ hasEnded }) => !hasEnded) || this.#slots.inUse > 0) return
    await this.#config()
    if (!isInstalled()) throw new FailedAttempt(NOT_INSTALLED)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const child of this.#all) child.kill()
  }

  #release(child: SherpaProcess): void {
    if (child.hasEnded || this.#isClosed) this.#drop(child)
    else this.#idle.push(child)
  }

  #drop(child: SherpaProcess): void {
    child.kill()
    this.#all.delete(child)
  }

  async #process(signal: AbortSignal): Promise<SherpaProcess> {
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) {
      if (!child.hasEnded) return child
      this.#all.delete(child)
    }
    if (this.#isClosed) throw new EngineError('PROVIDER_UNAVAILABLE', 'The engine is closed.')
    const config = await this.#config()
    const child = new SherpaProcess()
    this.#all.add(child)
    try {
      const answer = await askWithin(child, { load: config }, LOAD_TIMEOUT_MS, signal)
      if (!('loaded' in answer)) throw unloadable(answer, child)
      this.#loaded = answer.loaded
      return child
    } catch (error) {
      this.#drop(child)
      signal.throwIfAborted()
      if (!(error instanceof ChildEnded)) throw error
      if (error.wasKilled) throw new FailedAttempt(`The process that loads the model was killed (${error.message}).`)
      throw unloadable({ failed: error.message }, null)
    }
  }
}

function isInstalled(): boolean {
  try {
    const main = createRequire(import.meta.url).resolve(PACKAGE)
    return createRequire(main).resolve(`${PLATFORM_PACKAGE}/sherpa-onnx.node`) !== ''
  } catch {
    return false
  }
}

function unloadable(answer: SherpaAnswer, child: SherpaProcess | null): EngineError {
  const { failed = 'no answer', isMissing = false } = answer as { failed?: string; isMissing?: boolean }
  if (isMissing) return new FailedAttempt(NOT_INSTALLED)
  const said = child === null || child.lastLine === '' ? '' : `: ${child.lastLine}`
  return new EngineError('INTERNAL_ERROR', `The model cannot be loaded (${failed}${said}).`)
}

async function askWithin(
  child: SherpaProcess,
  question: SherpaAsk,
  limitMs: number,
  signal: AbortSignal,
): Promise<SherpaAnswer> {
  const limit = timeLimit(limitMs)
  const over = AbortSignal.any([signal, limit.signal])
  const kill = () => child.kill()
  over.addEventListener('abort', kill, { once: true })
  try {
    signal.throwIfAborted()
    return await child.ask(question)
  } catch (error) {
    if (limit.signal.aborted && !signal.aborted)
      throw new ChildEnded(`no answer within ${Math.round(limitMs / 1000)} s`)
    throw error
  } finally {
    limit.close()
    over.removeEventListener('abort', kill)
  }
}
