const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/**
 * Gives COPY's CSV the row ends of RFC 4180: a line feed outside of quotes becomes CR LF, one within a quoted cell stays what it is. A
 * doubled quote closes and opens again, and UTF-8 has none of these bytes within a character, so a chunk may be cut anywhere.
 */
export class CsvRowEnds {
  #rows = 0
  #isQuoted = false

  /** Rows that have ended so far. */
  get rows(): number {
    return this.#rows
  }

  convert(chunk: Buffer): Buffer {
    const ends = this.#findEnds(chunk)
    const converted = Buffer.allocUnsafe(chunk.length + ends.length)
    let [from, to] = [0, 0]
    for (const end of ends) {
      to += chunk.copy(converted, to, from, end)
      converted[to++] = CR
      converted[to++] = LF
      from = end + 1
    }
    chunk.copy(converted, to, from)
    this.#rows += ends.length
    return converted
  }

  /** Where rows end. Line feeds and quotes are each searched for once, in whatever order they come. */
  #findEnds(chunk: Buffer): number[] {
    const ends: number[] = []
    let quote = chunk.indexOf(QUOTE)
    let end = chunk.indexOf(LF)
    while (quote >= 0 || (end >= 0 && !this.#isQuoted)) {
      if (quote >= 0 && (this.#isQuoted || quote < end || end < 0)) {
        this.#isQuoted = !this.#isQuoted
        const closed = quote + 1
        quote = chunk.indexOf(QUOTE, closed)
        if (!this.#isQuoted && end >= 0 && end < closed) end = chunk.indexOf(LF, closed)
      } else {
        ends.push(end)
        end = chunk.indexOf(LF, end + 1)
      }
    }
    return ends
  }
}
