import { createHash } from 'node:crypto'

/**
 * What a listener has heard of a job's speech. Another attempt speaks it again from the start: as long as it speaks the same samples the
 * listener hears on where it was.
 */
export class HeardSamples {
  #heard = createHash('sha256')
  #length = 0
  /** What the present source has brought of what was heard before. */
  #repeated = createHash('sha256')
  #position = 0

  /** How many samples were heard. */
  get length(): number {
    return this.#length
  }

  /** The speech begins anew: another attempt's, or the stored file. */
  restart(): void {
    this.#repeated = createHash('sha256')
    this.#position = 0
  }

  /** What of the next samples was not heard before. @throws Error where what was heard before is not what comes now */
  take(samples: Int16Array): Int16Array {
    const known = Math.min(samples.length, Math.max(0, this.#length - this.#position))
    if (known > 0) this.#repeat(samples.subarray(0, known))
    const fresh = samples.subarray(known)
    this.#heard.update(bytesOf(fresh))
    this.#position += samples.length
    this.#length = Math.max(this.#length, this.#position)
    return fresh
  }

  #repeat(samples: Int16Array): void {
    this.#repeated.update(bytesOf(samples))
    if (this.#position + samples.length < this.#length) return
    const [now, before] = [this.#repeated.copy().digest(), this.#heard.copy().digest()]
    if (!now.equals(before)) throw new Error('the speech is spoken again, and is another one')
  }
}

const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
