import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SherpaAnswer, SherpaAsk } from './sherpa-child.ts'

const CHILD = fileURLToPath(new URL('sherpa-child.ts', import.meta.url))
const LINE_CHARACTERS = 300
/** Of a line that has not ended yet: what says that it has no reason may stand at its beginning. */
const UNENDED_CHARACTERS = 4096
/** What follows the line with the reason. */
const WITHOUT_REASON = /Errors in config/

/** The process ended instead of answering. The message says how, with the last line that it printed. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded'
  /** By something outside of it, such as a kernel that is out of memory: neither the model nor the text is at fault. */
  readonly wasKilled: boolean

  constructor(message: string, wasKilled = false) {
    super(message)
    this.wasKilled = wasKilled
  }
}

/** One process with one model, asked one thing after the other. */
export class SherpaProcess {
  readonly #child: ChildProcess
  #answered: ((outcome: SherpaAnswer | ChildEnded) => void) | undefined
  #lastLine = ''
  #unended = ''
  #ended = false

  constructor() {
    this.#child = fork(CHILD, [], {
      serialization: 'advanced',
      execArgv: [],
      // It needs nothing of this process's environment, which holds secrets.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => this.#keepLine(chunk))
    this.#child.on('message', (message) => this.#settle(message as SherpaAnswer))
    this.#child.once('error', (error) => this.#end(error.message))
    // Behind the last line that it printed.
    this.#child.once('close', (code, signal) =>
      this.#end(signal ?? `exit code ${code}`, signal === 'SIGKILL' || signal === 'SIGTERM'),
    )
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  /** The last line that it printed: the library's only word on many errors. */
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

  /** At once: it can be in the middle of anything. */
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

  /** The library writes where it is and what is wrong one after the other: a line may come in pieces. */
  #keepLine(chunk: string): void {
    const lines = (this.#unended + chunk).split(/\r?\n/)
    this.#unended = (lines.pop() ?? '').slice(-UNENDED_CHARACTERS)
    this.#lastLine = reasonIn([this.#lastLine, ...lines])
  }
}

/** The last of the lines that gives a reason; empty where none does. */
const reasonIn = (lines: readonly string[]): string =>
  (lines.findLast((line) => line.trim() !== '' && !WITHOUT_REASON.test(line)) ?? '').trim().slice(-LINE_CHARACTERS)
