import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { EngineError, FailedAttempt } from '../engine.ts'
import { withoutWordsOf } from '../server-failure.ts'
import type { SherpaAnswer, SherpaAsk } from './sherpa-child.ts'

const LOAD_TIMEOUT_MS = 120_000
const PACKAGE = 'sherpa-onnx-node'
const NOT_INSTALLED = `the package ${PACKAGE} is not installed where this worker runs: npm install --no-save ${PACKAGE}@1.13.8`
const CHILD = fileURLToPath(new URL('sherpa-child.ts', import.meta.url))
const LINE_CHARACTERS = 300
/** The beginning of an unfinished line may hold the reason. */
const UNENDED_CHARACTERS = 4096
/** The library prints this after the line with the reason. */
const WITHOUT_REASON = /Errors in config/

export type Spoken = Extract<SherpaAnswer, { spoken: object }>['spoken']
type Loaded = Extract<SherpaAnswer, { loaded: object }>['loaded']
type Speak = Extract<SherpaAsk, { speak: object }>['speak']

type SpeakOutcome = Spoken | { readonly failed: string }

class ChildEnded extends Error {
  override readonly name = 'ChildEnded'
  /** Something outside ended the process, such as the kernel. */
  readonly wasKilled: boolean

  constructor(message: string, wasKilled = false) {
    super(message)
    this.wasKilled = wasKilled
  }
}

class SherpaProcess {
  readonly #child: ChildProcess
  #answered: ((outcome: SherpaAnswer | ChildEnded) => void) | undefined
  #lastLine = ''
  #unended = ''
  #ended = false

  constructor() {
    this.#child = fork(CHILD, [], {
      serialization: 'advanced',
      execArgv: [],
      // The child gets no environment, which holds secrets.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => this.#keepLine(chunk))
    this.#child.on('message', (message) => this.#settle(message as SherpaAnswer))
    this.#child.once('error', (error) => this.#end(error.message))
    // `close` follows the last output.
    this.#child.once('close', (code, signal) =>
      this.#end(signal ?? `exit code ${code}`, signal === 'SIGKILL' || signal === 'SIGTERM'),
    )
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  get lastLine(): string {
    return reasonIn([this.#lastLine, this.#unended])
  }

  /** @throws ChildEnded */
  async ask(question: SherpaAsk): Promise<SherpaAnswer> {
    const { promise, resolve } = Promise.withResolvers<SherpaAnswer | ChildEnded>()
    this.#answered = resolve
    if (this.#ended) this.#settle(new ChildEnded('it has ended'))
    else this.#child.send(question, (error) => error && this.#settle(new ChildEnded(error.message)))
    const outcome = await promise
    if (outcome instanceof ChildEnded) throw outcome
    return outcome
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #settle(outcome: SherpaAnswer | ChildEnded): void {
    this.#answered?.(outcome)
    this.#answered = undefined
  }

  #end(how: string, wasKilled = false): void {
    this.#ended = true
    this.#settle(new ChildEnded(this.lastLine === '' ? how : `${how}: ${this.lastLine}`, wasKilled))
  }

  #keepLine(chunk: string): void {
    const lines = (this.#unended + chunk).split(/\r?\n/)
    this.#unended = (lines.pop() ?? '').slice(-UNENDED_CHARACTERS)
    this.#lastLine = reasonIn([this.#lastLine, ...lines])
  }
}

const reasonIn = (lines: readonly string[]): string =>
  (lines.findLast((line) => line.trim() !== '' && !WITHOUT_REASON.test(line)) ?? '').trim().slice(-LINE_CHARACTERS)

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
  async speakers(signal: AbortSignal): Promise<number> {
    if (this.#loaded === undefined)
      await this.#slots.run(signal, async () => this.#release(await this.#process(signal)))
    return Math.max(1, this.#loaded?.speakers ?? 1)
  }

  /**
   * Kills the process on abort or after `limitMs`.
   * @throws FailedAttempt if the process ended; else as `speakers`
   */
  speak(speak: Speak, limitMs: number, signal: AbortSignal): Promise<SpeakOutcome> {
    return this.#slots.run(signal, async () => {
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
    })
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
    return createRequire(import.meta.url).resolve(PACKAGE) !== ''
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
  const limit = AbortSignal.timeout(limitMs)
  const over = AbortSignal.any([signal, limit])
  const kill = () => child.kill()
  over.addEventListener('abort', kill, { once: true })
  try {
    signal.throwIfAborted()
    return await child.ask(question)
  } catch (error) {
    if (limit.aborted && !signal.aborted) throw new ChildEnded(`no answer within ${Math.round(limitMs / 1000)} s`)
    throw error
  } finally {
    over.removeEventListener('abort', kill)
  }
}
