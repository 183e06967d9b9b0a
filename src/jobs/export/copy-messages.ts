/** The first byte of a message: a row of COPY. */
const ROW = 0x64
/** That byte and the length. */
const HEADER_BYTES = 5

interface Receivers {
  /** A part of a row: `bytes` from `start` to `end`, good until this returns. */
  onRow(bytes: Buffer, start: number, end: number, isWhole: boolean): void
  /** A part of any other message, its header included; to keep. */
  onOther(bytes: Buffer): void
}

/** Tells PostgreSQL's rows of COPY from its other messages, wherever the network has cut them. */
export class CopyMessages {
  readonly #receivers: Receivers
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #headerLength = 0
  /** Bytes of the present message that are still to come. */
  #left = 0

  constructor(receivers: Receivers) {
    this.#receivers = receivers
  }

  /** Takes up to the end of a message, or of the bytes. Returns up to where. */
  take(bytes: Buffer, start: number): number {
    return this.#headerLength < HEADER_BYTES ? this.#takeHeader(bytes, start) : this.#takeBody(bytes, start)
  }

  #takeHeader(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + HEADER_BYTES - this.#headerLength)
    this.#headerLength += bytes.copy(this.#header, this.#headerLength, start, end)
    if (this.#headerLength < HEADER_BYTES) return end
    // The length counts itself.
    this.#left = this.#header.readUInt32BE(1) - 4
    if (this.#left === 0) this.#headerLength = 0
    if (this.#header[0] !== ROW) this.#receivers.onOther(Buffer.from(this.#header))
    return end
  }

  #takeBody(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#left)
    this.#left -= end - start
    if (this.#left === 0) this.#headerLength = 0
    if (this.#header[0] === ROW) this.#receivers.onRow(bytes, start, end, this.#left === 0)
    else this.#receivers.onOther(Buffer.from(bytes.subarray(start, end)))
    return end
  }
}
