import type { Log } from '../../values/log.ts'
import { EngineError, NothingToSay, type Speech, type SpeechEngine, type SpeechRequest } from '../engine.ts'
import { knownLanguage, type Language } from './detect-language.ts'
import { styleToProsody } from './espeak-style.ts'
import type { RenderTask } from './espeak-thread.ts'
import { EspeakThreads } from './espeak-threads.ts'
import { KANJI } from './spoken-text.ts'

const WARM_UP_TEXT = 'The first sentences compile the code that every later sentence runs.'
const WARM_UP_TIMES = 20

export interface EspeakEngine extends SpeechEngine {
  /** Never rejects. */
  warm(): Promise<void>
  close(): Promise<void>
}

interface EspeakOptions {
  readonly threads: number
  readonly log: Log
}

/** eSpeak NG in up to `threads` worker threads: WAV at 22,050 Hz. It refuses `reference` voices and ignores `seed`. */
export function openEspeak(options: EspeakOptions): EspeakEngine {
  const threads = new EspeakThreads(options.threads)
  let closed = false

  return {
    slots: options.threads,
    deterministic: true,
    voices: async () => null,
    speak: (request) => speak(threads, request),
    async warm() {
      const task = toTask({ text: WARM_UP_TEXT }, { engineVoice: 'en-us' }, 'English')
      try {
        for (let times = 0; times < WARM_UP_TIMES && !closed; times++) await threads.run(task)
      } catch (err) {
        if (!closed) options.log.warn({ err }, 'a speech thread did not start')
      }
    },
    close: () => {
      closed = true
      return threads.close()
    },
  }
}

async function speak(threads: EspeakThreads, request: SpeechRequest): Promise<Speech> {
  const { voice, signal, awaitedBy } = request
  if (voice.kind !== 'preset' || voice.engineVoice === null) {
    throw new EngineError('RENDER_FAILED', `The embedded engine has no recording to speak like ${voice.slug}.`)
  }
  const { engineVoice, language: own = null } = voice
  const task = toTask(request, { engineVoice, own }, requireLanguage(request.language))
  const rendering = await threads.run(task, signal, awaitedBy).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new EngineError('PROVIDER_UNAVAILABLE', 'A speech thread ended before its text did.', { cause: error })
  })
  if (typeof rendering === 'string') throw new EngineError('RENDER_FAILED', rendering)
  if (!('audio' in rendering)) throw new NothingToSay(whySilent(request.text), rendering.kanji)
  return rendering
}

const whySilent = (text: string): string =>
  KANJI.test(text)
    ? 'The dictionary of this language has no reading for the kanji of the text, and nothing else in it can be spoken.'
    : 'The text holds no letter, digit or symbol that this language reads.'

function toTask(
  request: Pick<SpeechRequest, 'text' | 'styleInstruction' | 'speed'>,
  voice: Pick<RenderTask, 'engineVoice' | 'own'>,
  language: Language | 'auto',
): RenderTask {
  const prosody = styleToProsody(request.styleInstruction, request.speed)
  return { text: request.text, ...voice, language, prosody }
}

function requireLanguage(language = 'auto'): Language | 'auto' {
  if (language === 'auto') return language
  const known = knownLanguage(language)
  if (known === undefined) throw new EngineError('RENDER_FAILED', `No language ${language}.`)
  return known
}
