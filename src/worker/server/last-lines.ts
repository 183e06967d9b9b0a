import type { Readable } from 'node:stream'
import { withoutWordsOf } from '../../engines/server-words.ts'

const MAX_LINES = 20
const MAX_LINE_CHARACTERS = 4096
const MAX_TEXTS = 64
const LINE_END = /\r\n|\n|\r/
const SECRET_NAME = /key|token|secret|passw/i

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
