/** The scope of an AudioWorklet, which TypeScript's library of the page lacks. */
declare const registerProcessor: (name: string, processor: new () => object) => void
declare const AudioWorkletProcessor: new () => { readonly port: MessagePort }

const BLOCK = 2048

/** Sends the microphone's samples to the page in blocks. */
class Capture extends AudioWorkletProcessor {
  #block = new Float32Array(BLOCK)
  #filled = 0

  process([input]: readonly (readonly Float32Array[])[]): boolean {
    for (const sample of input?.[0] ?? []) {
      this.#block[this.#filled++] = sample
      if (this.#filled < BLOCK) continue
      this.port.postMessage(this.#block, [this.#block.buffer])
      this.#block = new Float32Array(BLOCK)
      this.#filled = 0
    }
    return true
  }
}

registerProcessor('capture', Capture)
