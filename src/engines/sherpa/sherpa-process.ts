import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SherpaAnswer, SherpaAsk } from './sherpa-child.ts'

const CHILD = fileURLToPath(new URL('sherpa-child.ts', import.meta.url))
const LINE_CHARACTERS = 300
/** The beginning of an unfinished line may hold the reason. */
const UNENDED_CHARACTERS = 4096
/** The library prints this after the line with the reason. */
const WITHOUT_REASON = /Errors in config/

export class ChildEnded extends Error {
  override readonly name = 'ChildEnded'
  /** Something outside ended the process, such as the kernel. */
  readonly wasKilled: boolean

  constructor(message: string, wasKilled = false) {
    super(message)
    this.wasKilled = wasKilled
  }
}

export class SherpaProcess {
  readonly #child: ChildProcess
  #answered: ((outcome: SherpaAnswer | ChildEnded) => void) | undefined
  #lastLine = ''
  #unended = ''
  readonly #ended = Promise.withResolvers<void>()
  #hasEnded = false

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

  get ended(): Promise<void> {
    return this.#ended.promise
  }

  get isKilled(): boolean {
    return this.#child.killed
  }

  get lastLine(): string {
    return reasonIn([this.#lastLine, this.#unended])
  }

  /** @throws ChildEnded */
  async ask(question: SherpaAsk): Promise<SherpaAnswer> {
    const { promise, resolve } = Promise.withResolvers<SherpaAnswer | ChildEnded>()
    this.#answered = resolve
    if (this.#hasEnded) this.#settle(new ChildEnded('it has ended'))
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
    this.#hasEnded = true
    this.#settle(new ChildEnded(this.lastLine === '' ? how : `${how}: ${this.lastLine}`, wasKilled))
    this.#ended.resolve()
  }

  #keepLine(chunk: string): void {
    const lines = (this.#unended + chunk).split(/\r?\n/)
    this.#unended = (lines.pop() ?? '').slice(-UNENDED_CHARACTERS)
    this.#lastLine = reasonIn([this.#lastLine, ...lines])
  }
}

const reasonIn = (lines: readonly string[]): string =>
  (lines.findLast((line) => line.trim() !== '' && !WITHOUT_REASON.test(line)) ?? '').trim().slice(-LINE_CHARACTERS)
