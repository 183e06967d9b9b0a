import { createHash } from 'node:crypto'

/** Tracks what a listener has heard, so that a repeated attempt resumes if it yields the very same samples. */
export class HeardSamples {
  #heard = createHash('sha256')
  #length = 0
  #repeated = createHash('sha256')
  #position = 0

  get length(): number {
    return this.#length
  }

  restart(): void {
    this.#repeated = createHash('sha256')
    this.#position = 0
  }

  /**
   * Returns the samples not yet heard.
   * @throws Error if the repeated samples differ from those heard
   */
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
