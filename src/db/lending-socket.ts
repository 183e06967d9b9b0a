import { Socket } from 'node:net'

const READ_BYTES = 65_536

/**
 * A socket that reads into one buffer, again and again: node makes new memory for every read otherwise, which V8 gives back tens of
 * megabytes later. Over TLS it is TLS that reads, and all is as usual.
 */
export class LendingSocket extends Socket {
  /** Whether listeners of `data` are done with the bytes when they return. Otherwise they get a copy to keep. */
  lends = false

  constructor() {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
    super({ onread: { buffer, callback: (length) => this.#emitBytes(buffer.subarray(0, length)) } })
  }

  /** False stops the reading until the reader asks for more. */
  #emitBytes(bytes: Buffer): boolean {
    if (!this.lends) return this.push(Buffer.from(bytes))
    this.emit('data', bytes)
    return true
  }
}
