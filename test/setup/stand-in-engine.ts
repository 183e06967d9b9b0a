import type { SpeechRequest } from '../../src/engines/engine.ts'
import type { Engines } from '../../src/engines/engines.ts'
import { writeWav } from '../../src/synthesis/wav.ts'

const SAMPLE_RATE = 8000
const SECONDS_PER_CHARACTER = 0.07
const SHORTEST_SECONDS = 0.4

/** A tone about as long as the text would take to say: what a server that works gives. */
export function toneFor(text: string): Uint8Array {
  const seconds = Math.max(SHORTEST_SECONDS, [...text].length * SECONDS_PER_CHARACTER)
  const samples = Int16Array.from({ length: Math.round(seconds * SAMPLE_RATE) }, (_, at) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / SAMPLE_RATE)),
  )
  return writeWav(samples, SAMPLE_RATE)
}

/**
 * Engines of which `espeak` is played by the test: `during` says when a rendering is over, or throws what the engine would. An
 * aborted request rejects with the signal's reason, whatever `during` does.
 */
export function standInEngines(during: (request: SpeechRequest) => Promise<void> | void): Engines {
  const speak = async (request: SpeechRequest) => {
    request.signal.throwIfAborted()
    const aborted = new Promise<never>((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true })
    })
    aborted.catch(() => undefined)
    await Promise.race([during(request), aborted])
    return { wav: toneFor(request.text) }
  }
  return { espeak: { speak, close: async () => undefined } } as unknown as Engines
}
