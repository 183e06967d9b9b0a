import { Transform, type TransformCallback } from 'node:stream'

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
/** Eighteen commas and a line feed. */
const SHORTEST_ROW_BYTES = 19

/**
 * COPY's CSV with the line ends of RFC 4180: CR LF between rows, while a line feed inside of a quoted cell stays what it is. Begins
 * with `head`, and fails unless exactly as many rows passed as `sent` tells at the end: what ends well is complete.
 */
export class CsvLines extends Transform {
  /** Rows that have passed. */
  rows = 0
  readonly #sent: () => Promise<number>
  #quoted = false

  constructor(head: string, sent: () => Promise<number>) {
    super()
    this.#sent = sent
    this.push(Buffer.from(head))
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const out = Buffer.allocUnsafe(chunk.length + Math.ceil(chunk.length / SHORTEST_ROW_BYTES) + 1)
    let length = 0
    let quoted = this.#quoted
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number
      if (byte === QUOTE) quoted = !quoted
      else if (byte === LF && !quoted) {
        out[length++] = CR
        this.rows++
      }
      out[length++] = byte
    }
    this.#quoted = quoted
    done(null, out.subarray(0, length))
  }

  override _flush(done: TransformCallback): void {
    this.#sent().then((sent) => {
      const complete = this.rows === sent && !this.#quoted
      done(complete ? null : new Error(`an export of ${sent} rows ended after ${this.rows}`))
    }, done)
  }
}
