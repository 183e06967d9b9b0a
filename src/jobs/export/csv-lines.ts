const [LF, QUOTE] = [0x0a, 0x22]
const CRLF = Buffer.from('\r\n')

/** Counts the rows of PostgreSQL's CSV and ends them in CR LF (RFC 4180), but not inside quotes. */
export class CsvLines {
  #rows = 0
  #isQuoted = false

  get rows(): number {
    return this.#rows
  }

  convert(bytes: Buffer): Buffer {
    const parts: Buffer[] = []
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] === QUOTE) this.#isQuoted = !this.#isQuoted
      if (bytes[at] !== LF || this.#isQuoted) continue
      parts.push(bytes.subarray(from, at), CRLF)
      from = at + 1
      this.#rows++
    }
    return Buffer.concat([...parts, bytes.subarray(from)])
  }
}
