import type { Duplex } from 'node:stream'
import type { Connection, Submittable } from 'pg'
import { CopyMessages } from './copy-messages.ts'

const LF = 0x0a
const CR = 0x0d
/** No more is read from the connection until so much was taken. */
const FULL_BYTES = 65_536
/** So much besides comes by one read. */
const READ_BYTES = 65_536
/** Rows come in small reads: fewer, larger chunks cost everybody behind less. The head is not kept waiting. */
const WORTH_BYTES = 32_768
const GATHERED_MS = 5

type Listener = (bytes: Buffer) => void

interface Options {
  /** `copy (…) to stdout with (format csv)`. */
  readonly sql: string
  /** What the file begins with. */
  readonly head: string
  /** Runs after the last row, on the connection that is free again. The file is not complete unless it succeeds. */
  finish(): Promise<unknown>
  /** Called once: all went well, or the connection is good for nothing else, and the COPY may still run on it. */
  onEnd(error?: Error): void
}

/**
 * COPY's CSV with the line ends of RFC 4180, for `client.query`. PostgreSQL sends every row as one message that ends in a line feed; all
 * other messages go to `pg`. Two buffers take turns, so a chunk is the reader's until it asks for the next one. Ends only when as many
 * rows passed as PostgreSQL says it sent: what ends well is complete.
 */
export class CopyCsv implements Submittable, AsyncIterableIterator<Buffer, undefined> {
  /** That have passed. */
  rows = 0
  readonly #options: Options
  #stream: (Duplex & { lends?: boolean }) | undefined
  /** pg's own. */
  #others: Listener = () => undefined
  readonly #listener: Listener = (bytes) => this.#take(bytes)
  readonly #messages = new CopyMessages({
    onRow: (bytes, start, end, isWhole) => this.#takeRow(bytes, start, end, isWhole),
    onOther: (bytes) => this.#others(bytes),
  })
  #filling = Buffer.allocUnsafeSlow(FULL_BYTES + READ_BYTES)
  #lent = Buffer.allocUnsafeSlow(FULL_BYTES + READ_BYTES)
  #length: number
  /** The rows so far are to go on. */
  #due = true
  #gathering: NodeJS.Timeout | undefined
  #sent = -1
  #state: 'open' | 'complete' | Error = 'open'
  #wake: () => void = () => undefined

  constructor(options: Options) {
    this.#options = options
    this.#length = this.#filling.write(options.head)
  }

  submit(connection: Connection): void {
    const stream: Duplex & { lends?: boolean } = connection.stream
    this.#stream = stream
    this.#others = stream.listeners('data')[0] as Listener
    stream.on('data', this.#listener).off('data', this.#others)
    stream.lends = true
    connection.query(this.#options.sql)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#sent = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? -1)
  }

  handleReadyForQuery(): void {
    this.#detach()
    if (this.#state !== 'open') return
    const finished =
      this.rows === this.#sent
        ? this.#options.finish()
        : Promise.reject(new Error(`an export of ${this.#sent} rows ended after ${this.rows}`))
    finished.then(
      () => this.#end(),
      (error: Error) => this.#end(error),
    )
  }

  handleError(error: Error): void {
    this.#end(error)
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      if (this.#state instanceof Error) throw this.#state
      if (this.#due && this.#length > 0) return { done: false, value: this.#lend() }
      if (this.#state === 'complete') return { done: true, value: undefined }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.destroy()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  destroy(): void {
    if (this.#state === 'open') this.#drop()
    this.#end(new Error('the export has no reader any more'))
  }

  #lend(): Buffer {
    const [full, length] = [this.#filling, this.#length]
    this.#filling = this.#lent
    this.#lent = full
    this.#length = 0
    this.#due = this.#state !== 'open'
    this.#stream?.resume()
    return full.subarray(0, length)
  }

  #take(bytes: Buffer): void {
    this.#makeRoom(bytes.length + 1)
    let at = 0
    while (at < bytes.length && this.#stream !== undefined) at = this.#messages.take(bytes, at)
    if (at < bytes.length) this.#others(Buffer.from(bytes.subarray(at)))
    if (this.#length >= FULL_BYTES) this.#stream?.pause()
    if (this.#length >= WORTH_BYTES) this.#goOn()
    else if (this.#length > 0) this.#gathering ??= setTimeout(() => this.#goOn(), GATHERED_MS)
  }

  #goOn(): void {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    this.#due = true
    this.#wake()
  }

  #takeRow(bytes: Buffer, start: number, end: number, isWhole: boolean): void {
    this.#length += bytes.copy(this.#filling, this.#length, start, end)
    if (!isWhole) return
    if (this.#filling[this.#length - 1] !== LF) this.#end(new Error('a row of COPY has no end'))
    this.#filling[this.#length - 1] = CR
    this.#filling[this.#length++] = LF
    this.rows++
  }

  /** More than one read brings comes over TLS at most. */
  #makeRoom(bytes: number): void {
    if (this.#filling.length - this.#length >= bytes) return
    const larger = Buffer.allocUnsafeSlow(this.#length + bytes)
    this.#filling.copy(larger, 0, 0, this.#length)
    this.#filling = larger
  }

  #detach(): void {
    const stream = this.#stream
    if (stream === undefined) return
    this.#stream = undefined
    stream.lends = false
    stream.on('data', this.#others).off('data', this.#listener).resume()
  }

  /** What still comes is dropped: pg could make nothing of the rest of a row. */
  #drop(): void {
    this.#stream?.off('data', this.#listener).resume()
    this.#stream = undefined
  }

  #end(error?: Error): void {
    if (this.#state !== 'open') return
    this.#state = error ?? 'complete'
    this.#detach()
    this.#options.onEnd(error)
    this.#goOn()
  }
}
