import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'

/** Each chunk costs every stream and system call behind it the same, however small it is. */
const CHUNK_BYTES = 65_536
const HEADER_BYTES = 5
const LF = 0x0a
const NOTHING = Buffer.alloc(0)
const COPY_DATA = 0x64
/** CopyOutResponse, and what PostgreSQL may send between rows: ParameterStatus, NoticeResponse, NotificationResponse. */
const BETWEEN: ReadonlySet<number> = new Set([0x48, 0x53, 0x4e, 0x41])

/** A COPY under way, as a stream of chunks of whole kilobytes. */
export interface CopiedRows extends CopyToStreamQuery {
  /** Rows that have come so far. */
  readonly rows: number
}

/** What pg-copy-streams calls with the bytes of the connection, and what it wants to know: whether to go on reading. */
interface Parser {
  _parse(bytes: Buffer): boolean | undefined
}

/**
 * pg-copy-streams' reader of `copy … to stdout`, with row ends of its caller's: the line feed that ends a row becomes `rowEnd`, and all
 * within cells stay what they are, as PostgreSQL sends each row in a message of its own. The library makes two Buffers for each row;
 * here rows are copied once, from the connection's bytes into chunks. All other messages are the library's.
 */
export function copyRows(text: string, rowEnd: string): CopiedRows {
  const query = copyTo(text) as CopyToStreamQuery & Parser
  const rest = query._parse.bind(query)
  const reader = new RowReader({ rowEnd: Buffer.from(rowEnd), push: (chunk) => query.push(chunk), rest })
  query._parse = (bytes) => reader.parse(bytes)
  return Object.defineProperty(query, 'rows', { get: () => reader.rows }) as unknown as CopiedRows
}

interface Outlets {
  readonly rowEnd: Buffer
  /** @returns whether to go on reading */
  push(chunk: Buffer): boolean
  /** What is done with messages that are no rows. */
  rest(messages: Buffer): boolean | undefined
}

class RowReader {
  readonly #outlets: Outlets
  #rows = 0
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #filled = 0
  /** Of a row's message, what has not come yet. */
  #missing = 0
  /** The beginning of a message that is not a row's, or of a header. */
  #begun: Buffer = NOTHING
  #isOver = false
  #goOn = true

  constructor(outlets: Outlets) {
    this.#outlets = outlets
  }

  get rows(): number {
    return this.#rows
  }

  parse(more: Buffer): boolean | undefined {
    if (this.#isOver) return this.#outlets.rest(more)
    const bytes = this.#begun.length === 0 ? more : Buffer.concat([this.#begun, more])
    this.#begun = NOTHING
    this.#goOn = true
    let at = 0
    while (at < bytes.length && !this.#isOver) {
      const next = this.#missing > 0 ? this.#addRow(bytes, at) : this.#begin(bytes, at)
      if (next === null) {
        this.#begun = bytes.subarray(at)
        break
      }
      at = next
    }
    return this.#isOver ? this.#outlets.rest(bytes.subarray(at)) : this.#goOn
  }

  /** @returns where what follows begins; null where too little of the message has come */
  #begin(bytes: Buffer, at: number): number | null {
    const code = bytes[at]!
    if (code !== COPY_DATA && !BETWEEN.has(code)) {
      // The end, or an error.
      this.#isOver = true
      this.#flush()
      return at
    }
    if (bytes.length - at < HEADER_BYTES) return null
    const end = at + 1 + bytes.readUInt32BE(at + 1)
    if (code === COPY_DATA) {
      this.#missing = end - at - HEADER_BYTES
      return at + HEADER_BYTES
    }
    if (bytes.length < end) return null
    this.#outlets.rest(bytes.subarray(at, end))
    return end
  }

  #addRow(bytes: Buffer, at: number): number {
    const end = Math.min(at + this.#missing, bytes.length)
    this.#missing -= end - at
    const endsRow = this.#missing === 0 && bytes[end - 1] === LF
    this.#add(bytes, at, endsRow ? end - 1 : end)
    if (endsRow) {
      this.#rows++
      this.#add(this.#outlets.rowEnd, 0, this.#outlets.rowEnd.length)
    }
    return end
  }

  #add(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const copied = bytes.copy(this.#chunk, this.#filled, at, to)
      at += copied
      this.#filled += copied
      if (this.#filled === CHUNK_BYTES) this.#flush()
    }
  }

  #flush(): void {
    if (this.#filled === 0) return
    this.#goOn = this.#outlets.push(this.#chunk.subarray(0, this.#filled))
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    this.#filled = 0
  }
}
