import { createRequire } from 'node:module'
import { orAborted } from '../../concurrency/or-aborted.ts'
import { type Release, Semaphore } from '../../concurrency/semaphore.ts'
import { timeLimit } from '../../concurrency/time-limit.ts'
import { EngineError, FailedAttempt, type SpeechRequest, UnfitVoice } from '../engine.ts'
import { withoutWordsOf } from '../server-failure.ts'
import type * as memory from './model-memory.ts'
import type { SherpaAnswer, SherpaAsk } from './sherpa-child.ts'
import { ChildEnded, SherpaProcess } from './sherpa-process.ts'

const LOAD_TIMEOUT_MS = 120_000
/** A model that cannot be loaded is not tried again for so long. */
const FAILURE_MS = 30_000
const MEGA = 1_000_000
const PACKAGE = 'sherpa-onnx-node'
/** The package that holds the library of this platform. */
const PLATFORM_PACKAGE = `sherpa-onnx-${process.platform}-${process.arch}`
const NOT_INSTALLED = `the packages ${PACKAGE} and ${PLATFORM_PACKAGE}, which Sonant brings unless it is installed with --omit=optional, are not installed where this worker runs`

export type Spoken = Extract<SherpaAnswer, { spoken: object }>['spoken']
type Speak = Extract<SherpaAsk, { speak: object }>['speak']

export interface ModelSource {
  /** As the library takes it. */
  readonly config: object
  /** Size of the files that the process reads into memory. */
  readonly bytes: number
}

interface Waiting extends Pick<SpeechRequest, 'signal' | 'awaitedBy' | 'onLoading'> {
  /** How long a process waits for its next text. */
  readonly idleMs: number
}

interface Asked extends Waiting {
  readonly speak: Speak
  /** Null: the model speaks like a recording. */
  readonly speaker: string | null
  readonly limitMs: number
}

/** `loading` also while it waits for room in memory. */
export type ModelState = 'cold' | 'loading' | 'warm'

type ModelMemory = memory.ModelMemory<SherpaProcess>
type Seat = memory.Seat<SherpaProcess>

interface Seated {
  readonly seat: Seat
  readonly release: Release
}

type SpeakOutcome = Spoken | { readonly failed: string }

/** Speaks in up to `slots` processes, which load the model when they are first needed. */
export class SherpaModel {
  readonly #source: () => Promise<ModelSource>
  readonly #memory: ModelMemory
  readonly #slots: Semaphore
  #speakers = 1
  /** Memory of a process that has just loaded it. */
  #bytes = 0
  #loads = 0
  #failed: { readonly message: string; readonly until: number } | undefined

  /** @param source asked at every start, because files may change */
  constructor(source: () => Promise<ModelSource>, slots: number, memory: ModelMemory) {
    this.#source = source
    this.#memory = memory
    this.#slots = new Semaphore(() => slots)
  }

  get state(): ModelState {
    if (this.#memory.isWarm(this) || this.#slots.inUse > this.#loads) return 'warm'
    return this.#loads > 0 ? 'loading' : 'cold'
  }

  /** @throws FailedAttempt if a file is missing; EngineError INTERNAL_ERROR if it cannot be loaded; the signal's reason */
  async speakers(waiting: Waiting): Promise<number> {
    await this.#run(waiting, async (seat) => this.#memory.giveBack(seat, waiting.idleMs))
    return this.#speakers
  }

  /**
   * Kills the process if it speaks for longer than `limitMs`, or the signal aborts.
   * @throws UnfitVoice for a speaker that it lacks; FailedAttempt if the process ended; else as `speakers`
   */
  speak(asked: Asked): Promise<SpeakOutcome> {
    return this.#run(asked, (seat, process) => this.#speakIn(seat, process, asked))
  }

  /** @throws FailedAttempt if a file is missing; EngineError INTERNAL_ERROR if it cannot fit into memory */
  async probe(): Promise<void> {
    if (this.state !== 'cold') return
    this.#checkSize((await this.#source()).bytes)
    if (!isInstalled()) throw new FailedAttempt(NOT_INSTALLED)
  }

  async #speakIn(seat: Seat, process: SherpaProcess, { speak, speaker, ...asked }: Asked): Promise<SpeakOutcome> {
    const { limitMs, signal, idleMs } = asked
    // The library silently uses speaker 0 for an unknown one.
    if (speaker !== null && !(/^\d+$/.test(speaker) && Number(speaker) < this.#speakers)) {
      this.#memory.giveBack(seat, idleMs)
      const known = `The model has ${this.#speakers} speakers, from 0`
      throw new UnfitVoice(`${known}: engine_voice ${speaker} is none.`)
    }
    try {
      const answer = await askWithin(process, { speak }, limitMs, signal)
      if ('spoken' in answer) this.#memory.measure(seat, answer.spoken.bytes)
      this.#memory.giveBack(seat, idleMs)
      if ('spoken' in answer) return answer.spoken
      return { failed: 'failed' in answer ? withoutWordsOf(answer.failed, [speak.text]) : 'no audio came' }
    } catch (error) {
      this.#memory.end(seat)
      signal.throwIfAborted()
      const reason = withoutWordsOf((error as Error).message, [speak.text])
      throw new FailedAttempt(`The process that speaks ended (${reason}).`)
    }
  }

  async #run<T>(waiting: Waiting, work: (seat: Seat, process: SherpaProcess) => Promise<T>): Promise<T> {
    const { seat, release } = await (this.state === 'warm' ? this.#seat(waiting) : this.#coldSeat(waiting))
    return work(seat, seat.process as SherpaProcess).finally(release)
  }

  #coldSeat(waiting: Waiting): Promise<Seated> {
    waiting.onLoading?.(true)
    return this.#seat(waiting).finally(() => waiting.onLoading?.(false))
  }

  async #seat({ signal, awaitedBy, idleMs }: Waiting): Promise<Seated> {
    const release = await this.#slots.acquire(signal, awaitedBy)
    const taken = this.#take(signal)
    try {
      return { seat: await orAborted(signal, taken), release }
    } catch (error) {
      // A text that is aborted meanwhile leaves the loaded model to the next one.
      const leave = (late: Seat) => this.#memory.giveBack(late, idleMs)
      void taken.then(leave, () => undefined).finally(release)
      throw error
    }
  }

  async #take(signal: AbortSignal): Promise<Seat> {
    const loads = this.#memory.isWarm(this) ? 0 : 1
    this.#loads += loads
    try {
      for (;;) {
        const seat = await this.#memory.take(this, await this.#needed(), signal)
        if (seat.process !== undefined || (await this.#load(seat))) return seat
        // Others have grown meanwhile. Its size is known now, so it waits until there is room.
        this.#memory.end(seat)
      }
    } finally {
      this.#loads -= loads
    }
  }

  /** @throws EngineError INTERNAL_ERROR if it cannot be loaded, as it was lately or as its files show */
  async #needed(): Promise<number> {
    if (this.#memory.isWarm(this)) return this.#bytes
    if (this.#failed !== undefined && performance.now() < this.#failed.until)
      throw new EngineError('INTERNAL_ERROR', this.#failed.message)
    const { bytes } = await this.#source()
    this.#checkSize(bytes)
    return Math.min(this.#memory.boundBytes, Math.max(bytes, this.#bytes))
  }

  /** Returns whether it fits beside the others. */
  async #load(seat: Seat): Promise<boolean> {
    try {
      const { config } = await this.#source()
      const child = new SherpaProcess()
      this.#memory.start(seat, child)
      const answer = await askWithin(child, { load: config }, LOAD_TIMEOUT_MS)
      if (!('loaded' in answer)) throw unloadable(answer, child)
      const { speakers, bytes } = answer.loaded
      this.#checkSize(bytes)
      this.#speakers = Math.max(1, speakers)
      this.#bytes = bytes
      return this.#memory.measure(seat, bytes)
    } catch (thrown) {
      this.#memory.end(seat)
      const error = thrown instanceof ChildEnded ? ended(thrown) : thrown
      if (error instanceof EngineError && error.code === 'INTERNAL_ERROR')
        this.#failed = { message: error.message, until: performance.now() + FAILURE_MS }
      throw error
    }
  }

  #checkSize(bytes: number): void {
    if (bytes <= this.#memory.boundBytes) return
    const [needed, bound] = [bytes, this.#memory.boundBytes].map((size) => Math.round(size / MEGA))
    const reason = `it takes ${needed} MB of memory, and MODELS_MEMORY_MB gives all models of a process ${bound} MB`
    throw new EngineError('INTERNAL_ERROR', `The model cannot be loaded: ${reason}.`)
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

const ended = (error: ChildEnded): EngineError =>
  error.wasKilled
    ? new FailedAttempt(`The process that loads the model was killed (${error.message}).`)
    : unloadable({ failed: error.message }, null)

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
  signal?: AbortSignal,
): Promise<SherpaAnswer> {
  const limit = timeLimit(limitMs)
  const over = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal])
  const kill = () => child.kill()
  over.addEventListener('abort', kill, { once: true })
  try {
    signal?.throwIfAborted()
    return await child.ask(question)
  } catch (error) {
    if (limit.signal.aborted && signal?.aborted !== true)
      throw new ChildEnded(`no answer within ${Math.round(limitMs / 1000)} s`)
    throw error
  } finally {
    limit.close()
    over.removeEventListener('abort', kill)
  }
}
