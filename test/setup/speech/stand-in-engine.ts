import { type Wav, writeWav } from '../../../src/audio/wav.ts'
import type { SpeechEngine, SpeechRequest } from '../../../src/engines/engine.ts'
import type { Engines } from '../../../src/engines/engines.ts'

const SAMPLE_RATE = 8000
const SECONDS_PER_CHARACTER = 0.07
const SHORTEST_SECONDS = 0.4

/** A tone about as long as the text would take to say: the file of a server that works. */
export const toneFor = (text: string): Uint8Array => writeWav(tone(text).samples, SAMPLE_RATE)

function tone(text: string): Wav {
  const seconds = Math.max(SHORTEST_SECONDS, [...text].length * SECONDS_PER_CHARACTER)
  const samples = Int16Array.from({ length: Math.round(seconds * SAMPLE_RATE) }, (_, at) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / SAMPLE_RATE)),
  )
  return { sampleRate: SAMPLE_RATE, channels: 1, samples }
}

/**
 * Engines that are played by the test, whatever block an endpoint has: `during` says when a rendering is over, or throws what the engine would. An
 * aborted request rejects with the signal's reason, whatever `during` does.
 */
export function standInEngines(during: (request: SpeechRequest) => Promise<void> | void): Engines {
  const speak = async (request: SpeechRequest) => {
    request.signal.throwIfAborted()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abort = () => reject(request.signal.reason)
    request.signal.addEventListener('abort', abort, { once: true })
    await Promise.race([during(request), aborted]).finally(() => request.signal.removeEventListener('abort', abort))
    return { audio: tone(request.text) }
  }
  const engine: SpeechEngine = {
    slots: 64,
    deterministic: true,
    speak,
    voices: async () => null,
  }
  return {
    use: (_block, work) => work(engine),
    probe: async () => true,
    ask: async () => null,
    modelState: () => null,
    warm: async () => undefined,
    close: async () => undefined,
  }
}
