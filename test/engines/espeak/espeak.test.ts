import { createHash } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, type MockInstance, test, vi } from 'vitest'
import { durationMs, type Wav } from '../../../src/audio/wav.ts'
import type { EngineError, EngineErrorCode, SpeechRequest } from '../../../src/engines/engine.ts'
import { LANGUAGES, type Language } from '../../../src/engines/espeak/detect-language.ts'
import { type EspeakEngine, openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { styleToProsody } from '../../../src/engines/espeak/espeak-style.ts'
import { EspeakThreads } from '../../../src/engines/espeak/espeak-threads.ts'
import { openLog } from '../../../src/values/log.ts'
import { checkAudio } from '../../../src/voice/speak-text.ts'
import { p99, watchEventLoop } from '../../setup/load/event-loop.ts'
import { measureVoice } from '../../setup/speech/measure-voice.ts'
import { until } from '../../setup/wait.ts'

const SENTENCES: Readonly<Record<Language, string>> = {
  Chinese: '今天天气很好，我们一起去公园散步吧。',
  English: 'The weather is lovely today, so let us take a walk in the park.',
  Japanese: 'きょうはいいてんきですね。こうえんをさんぽしましょう。',
  Korean: '오늘은 날씨가 좋아서 공원에서 산책합시다.',
  French: 'Il fait très beau aujourd’hui, allons nous promener dans le parc.',
  German: 'Heute ist schönes Wetter, wir gehen im Park spazieren.',
  Italian: 'Oggi fa bel tempo, andiamo a passeggiare nel parco.',
  Spanish: 'Hoy hace buen tiempo, vamos a pasear por el parque.',
  Portuguese: 'Hoje o tempo está bom, vamos passear no parque.',
  Russian: 'Сегодня хорошая погода, пойдём гулять в парк.',
}
const LONG_TEXT = 'The weather is lovely today, so let us take a walk. '.repeat(200).slice(0, 10_000)

const threads: Worker[] = []
process.on('worker', (thread) => threads.push(thread))
const engine = openEspeak({ threads: 2, log: openLog('silent') })
afterAll(() => engine.close())

type Options = Partial<SpeechRequest> & { engineVoice?: string }
const renderWith = (by: EspeakEngine, text: string, { engineVoice = 'en-us+m3', ...request }: Options = {}) => {
  const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
  const signal = new AbortController().signal
  return by.speak({ text, voice, signal, extra: {}, ...request })
}
const render = async (text: string, options: Options = {}) => renderWith(engine, text, options)
const speak = async (...request: Parameters<typeof render>) => (await render(...request)).audio

// First of all: later the engine is warm.
test('a text that comes while the engine warms up does not wait until it is warm', async () => {
  const ended: string[] = []
  const warmed = engine.warm().then(() => ended.push('warm'))
  await Promise.all([1, 2, 3].map(() => render('Hello!').then(() => ended.push('spoken'))))
  await warmed
  expect(ended).toEqual(['spoken', 'spoken', 'spoken', 'warm'])
})

describe('threads', () => {
  test('a warm engine has one, and another from the first text on that has to wait', async () => {
    const before = threads.length
    const warm = openEspeak({ threads: 2, log: openLog('silent') })
    await warm.warm()
    expect(threads.length).toBe(before + 1)
    const ended: string[] = []
    const stop = new AbortController()
    const long = renderWith(warm, LONG_TEXT, { signal: stop.signal }).then(
      () => ended.push('long'),
      () => undefined,
    )
    await renderWith(warm, 'Hello.').then(() => ended.push('short'))
    expect(threads.length).toBe(before + 2)
    expect(ended).toEqual(['short'])
    stop.abort()
    await long
    await warm.close()
  })

  test('a text that waits goes to the one that is free first, not to one that only starts', async () => {
    const warm = openEspeak({ threads: 2, log: openLog('silent') })
    await warm.warm()
    // A first text whose language is not named makes the thread load more.
    await renderWith(warm, 'None.')
    const given = Promise.withResolvers<MockInstance>()
    process.once('worker', (second) => given.resolve(vi.spyOn(second, 'postMessage')))
    await Promise.all(['One.', 'Two.'].map((text) => renderWith(warm, text)))
    expect(await given.promise).not.toHaveBeenCalled()
    await warm.close()
  })
})

/** Compared instead of the samples: a diff of a million numbers helps no reader. */
const fingerprint = async (...request: Parameters<typeof speak>) => fingerprintOf(await speak(...request))
const fingerprintOf = ({ samples }: Wav) => createHash('sha256').update(samples).digest('hex')
const length = async (...request: Parameters<typeof speak>) => durationMs(await speak(...request))
const failsWith = (code: EngineErrorCode) =>
  expect.objectContaining({ name: 'EngineError', code } satisfies Partial<EngineError>)

describe('the languages', () => {
  test.each(LANGUAGES)('%s is spoken as one WAV, 22,050 Hz, of sensible length', async (language) => {
    const audio = await speak(SENTENCES[language], { language })
    checkAudio(audio)
    expect(audio.sampleRate).toBe(22_050)
    expect(durationMs(audio)).toBeGreaterThan(1500)
    expect(durationMs(audio)).toBeLessThan(9000)
  })

  test.each(LANGUAGES)('auto speaks %s as if it had been asked for', async (language) => {
    expect(await fingerprint(SENTENCES[language], { language: 'auto' })).toBe(
      await fingerprint(SENTENCES[language], { language }),
    )
  })

  test('the language sets the speech', async () => {
    const german = await fingerprint('Die Station', { language: 'German' })
    expect(german).not.toBe(await fingerprint('Die Station', { language: 'English' }))
  })

  test('a language that is not of the ten is refused', async () => {
    await expect(speak('Hello.', { language: 'Klingon' })).rejects.toEqual(failsWith('RENDER_FAILED'))
  })
})

describe('the voice', () => {
  test.each(['en-us+nobody', 'xx+m3', '../../etc/passwd', 'en-us+../m3', ''])('%j is refused', async (engineVoice) => {
    const refused = failsWith('RENDER_FAILED')
    await expect(speak('12', { engineVoice })).rejects.toEqual(refused)
  })

  test('a recording cannot be spoken like', async () => {
    const voice = {
      slug: 'host',
      kind: 'reference',
      engineVoice: null,
      referenceAudio: new Uint8Array(),
      referenceText: '',
    } as const
    await expect(speak('Hello.', { voice })).rejects.toEqual(failsWith('RENDER_FAILED'))
  })
})

describe('the style', () => {
  const text = SENTENCES.English

  test('slow takes longer and fast shorter', async () => {
    const plain = await length(text)
    expect(await length(text, { styleInstruction: 'very slowly' })).toBeGreaterThan(plain * 1.3)
    expect(await length(text, { styleInstruction: 'fast' })).toBeLessThan(plain * 0.9)
    expect(await length(text, { speed: 2 })).toBeLessThan(plain * 0.6)
  })

  test('high and low move the pitch', async () => {
    const pitch = async (styleInstruction: string) => measureVoice(await speak(text, { styleInstruction })).pitchHz
    expect(await pitch('a high voice')).toBeGreaterThan((await pitch('')) * 1.1)
    expect(await pitch('a deep voice')).toBeLessThan((await pitch('')) * 0.95)
  })

  test('loud and quiet move the loudness that is asked for, by less than 4 dB', async () => {
    const target = async (styleInstruction: string) => (await render(text, { styleInstruction })).loudness!.target
    expect(await target('')).toBe(-19)
    expect(await target('loudly')).toBe(-15.5)
    expect(await target('quietly')).toBeGreaterThanOrEqual(-22.5)
    expect(await target('quietly')).toBeLessThan(-21)
  })

  test('a whisper is eSpeak’s whispering speaker, of the voice’s sex', async () => {
    const whisper = { styleInstruction: 'whisper', language: 'English' }
    const men = await fingerprint(text, { ...whisper, engineVoice: 'en-us+m3' })
    expect(await fingerprint(text, { ...whisper, engineVoice: 'en-us+david' })).toBe(men)
    expect(await fingerprint(text, { ...whisper, engineVoice: 'en-us+f1' })).not.toBe(men)
    // A breath has no pitch: its spectrum lies far above that of a voice.
    const centroid = async (style: string) =>
      measureVoice(await speak(text, { styleInstruction: style, engineVoice: 'en-us+f1' })).centroidHz
    expect(await centroid('whisper')).toBeGreaterThan((await centroid('quietly')) * 1.4)
  })

  test('a voice may have a pitch of its own', async () => {
    const pitch = async (engineVoice: string) => measureVoice(await speak(text, { engineVoice })).pitchHz
    expect(await pitch('en-us+m3@70')).toBeGreaterThan((await pitch('en-us+m3')) * 1.1)
    expect(await fingerprint(text, { engineVoice: 'en-us+m3@50' })).toBe(await fingerprint(text))
  })

  test('ends a tenth of a second after its last sound', async () => {
    for (const language of LANGUAGES) {
      const { samples } = await speak(SENTENCES[language], { language })
      const silent = samples.length - 1 - samples.findLastIndex((sample) => Math.abs(sample) >= 8)
      expect([language, Math.round(silent / 22.05)]).toEqual([language, 100])
    }
  })
})

describe('the text', () => {
  test.each([
    ['a break', 'Hi. <break time="9s"/> there.'],
    ['an audio file', '<audio src="/etc/passwd"/>Hello'],
    ['an entity', 'Hi &lt;break time="9s"/&gt; there'],
    ['phonemes', 'Hello [[h@l@U_:_:_:_:]] there'],
    ['a command', 'Hello \u000150S \u000199P there'],
    ['control characters', 'Hello\u0000\u0007\u001b[31m there'],
    ['private use and a lone surrogate', 'Hello \ue03c\ud800 there'],
    ['emoji', 'Hello 👩‍👩‍👧‍👦🎉 there'],
    ['an open tag', 'Hello <speak><voice name="de"> there'],
  ])('%s is spoken or skipped, never obeyed', async (_, text) => {
    expect(await length(text, { language: 'English' })).toBeLessThan(7000)
    expect(await fingerprint('Hello.', { language: 'English' })).toBe(hello)
  })

  test('what comes after a NUL is spoken', async () => {
    expect(await length('Hello\u0000there, how are you?')).toBeGreaterThan(await length('Hello'))
  })

  test.each(['...', '?!', '\u0007', ' \n '])('only %j is refused: it gives no sound', async (text) => {
    await expect(speak(text)).rejects.toEqual(failsWith('RENDER_FAILED'))
  })

  test.each([
    ['letters of another script', 'The word مرحبا is long, 你好 is short.', 'The word is long, is short.'],
    ['emoji', 'Well done 🎉👩‍👩‍👧‍👦 indeed.', 'Well done indeed.'],
  ])('%s in it are passed over, not named', async (_, text, heard) => {
    const ratio = (await length(text, { language: 'English' })) / (await length(heard, { language: 'English' }))
    expect(Math.abs(ratio - 1)).toBeLessThan(0.1)
  })

  test.each(LANGUAGES)('letters that %s spells by their codes are spoken as those that they show', async (language) => {
    const spelled = await speak('Tiếng Việt, ᴏᴋ, ᵗʰᵉ', { language })
    expect(spelled).toEqual(await speak('Tiêng Viêt, ok, the', { language }))
  })

  test('characters in other forms are spoken as what they are', async () => {
    const plain = await fingerprint('Hello 12', { language: 'English' })
    for (const text of ['Ｈｅｌｌｏ １２', '𝓗𝓮𝓵𝓵𝓸 𝟙𝟚', 'Hello ١٢']) {
      expect(await fingerprint(text, { language: 'English' }), text).toBe(plain)
    }
  })

  test('10,000 characters are spoken without holding up the event loop', async () => {
    const held = watchEventLoop()
    const ms = await length(LONG_TEXT, { language: 'English' })
    const turns = held.stop()
    expect(ms).toBeGreaterThan(300_000)
    expect(p99(turns)).toBeLessThan(50)
  })

  // The service speaks texts in parts of at most 400 characters.
  test.each(['a', '9', '\n', '字', '. '])('%j repeated to 1,000 characters ends', async (unit) => {
    const language = unit === '字' ? 'Chinese' : 'English'
    const outcome = await speak(unit.repeat(1000 / unit.length), { language }).catch((error: unknown) => error)
    if (outcome instanceof Error) expect(outcome).toEqual(failsWith('RENDER_FAILED'))
  })
})

describe('many at once', () => {
  test('each is the same bytes as when rendered alone, in any order', async () => {
    const requests = LANGUAGES.flatMap((language) =>
      ['en-us+m3', 'en-us+f3', 'en-us+Annie'].map((engineVoice, i) => ({ language, engineVoice, speed: 1 + i / 4 })),
    )
    const alone: string[] = []
    for (const request of requests) alone.push(await fingerprint(SENTENCES[request.language], request))
    const together = requests.toReversed().map((request) => fingerprint(SENTENCES[request.language], request))
    expect((await Promise.all(together)).toReversed()).toEqual(alone)
  })
})

describe('ending early', () => {
  test('a request that is already aborted is not begun', async () => {
    const reason = new Error('cancelled')
    await expect(speak('Hello.', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test('an abort midway ends the work within 300 ms, with the signal’s reason', async () => {
    const aborted = async () => {
      const stop = new AbortController()
      const reason = new Error('cancelled')
      const rendering = speak(LONG_TEXT, { signal: stop.signal })
      const outcome = rendering.catch((error: unknown) => error)
      // Done on the other thread: by then the long one is under way.
      await speak('Hello.')
      const start = performance.now()
      stop.abort(reason)
      expect(await outcome).toBe(reason)
      return performance.now() - start
    }
    // A busy machine may hold up any of them.
    let ms = await aborted()
    for (let tries = 1; ms >= 300 && tries < 5; tries++) ms = await aborted()
    expect(ms).toBeLessThan(300)
    expect(await fingerprint('Hello.', { language: 'English' })).toBe(hello)
  })

  test('a thread that dies fails its text as PROVIDER_UNAVAILABLE, and the next text is spoken', async () => {
    const started = threads.length
    const outcomes = [LONG_TEXT, 'Hello.'].map((text) =>
      speak(text).then(
        () => 'spoken',
        (error: unknown) => error,
      ),
    )
    // The second thread ended with the abort above; this text has started another.
    await expect.poll(() => threads.length).toBeGreaterThan(started)
    await Promise.all(threads.map((thread) => thread.terminate()))
    // The other text waited for a thread that was still starting, or for any: it may find a new one.
    expect(await outcomes[0]).toEqual(failsWith('PROVIDER_UNAVAILABLE'))
    await outcomes[1]
    expect(await fingerprint('Hello.', { language: 'English' })).toBe(hello)
  })
})

describe('memory', () => {
  test('threads share the data of the languages', async () => {
    const alive = () => threads.filter(({ threadId }) => threadId > 0)
    // A second one may be late, or still starting.
    const statistics = async () => {
      await Promise.all([render('Hello.'), render('Hello.')])
      const asked = await Promise.allSettled(alive().map((thread) => thread.getHeapStatistics()))
      const given = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      return given.length === 2 ? given : undefined
    }
    const held = await until(statistics, 30_000, 'two threads')
    // With a copy of their own they hold 52 MB.
    expect(Math.max(...held.map(({ external_memory }) => external_memory / 1e6))).toBeLessThan(35)
  })

  test('all threads but one end when there is nothing to say', async () => {
    const before = threads.length
    const idle = new EspeakThreads(2, { idleMs: 300 })
    const task = {
      text: 'Hello.',
      engineVoice: 'en-us+m3',
      language: 'English',
      prosody: styleToProsody(undefined),
    } as const
    const say = async () => {
      const { audio } = (await idle.run(task)) as { audio: Wav }
      return fingerprintOf(audio)
    }
    const two = () => Promise.all([say(), say()])
    const own = () => threads.slice(before)
    const alive = () => own().filter(({ threadId }) => threadId > 0).length
    expect(await two()).toEqual([hello, hello])
    expect(own().length).toBe(2)
    await expect.poll(alive).toBe(1)
    expect(await two()).toEqual([hello, hello])
    expect(own().length).toBe(3)
    await idle.close()
  })
})

const hello = await fingerprint('Hello.', { language: 'English' })
