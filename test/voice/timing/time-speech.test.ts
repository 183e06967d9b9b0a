import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toWordMarks } from '../../../src/engines/espeak/recording.ts'
import { OffsetMap } from '../../../src/voice/timing/offset-map.ts'
import { listen } from '../../../src/voice/timing/sounding-clock.ts'
import {
  decodeTiming,
  encodeTiming,
  inSubmitted,
  type SpeechTiming,
  TIME_SOURCES,
} from '../../../src/voice/timing/speech-timing.ts'
import { estimateTiming, type Heard, timeSpeech } from '../../../src/voice/timing/time-speech.ts'

const RATE = 8000
const inSamples = (seconds: number): number => Math.round(seconds * RATE)

/** Sound and silence in turn, in seconds; it begins with silence. */
function audioOf(...seconds: readonly number[]): Int16Array {
  return Int16Array.from(
    seconds.flatMap((length, index) =>
      Array.from({ length: inSamples(length) }, (_, at) =>
        index % 2 === 1 ? Math.round(9000 * Math.sin(at / 2)) : at % 5,
      ),
    ),
  )
}

const heardIn = (samples: Int16Array, marks?: Heard['marks']): Heard => ({
  clock: listen({ samples, sampleRate: RATE }),
  marks,
})
const timed = (text: string, samples: Int16Array, marks?: Heard['marks']): SpeechTiming =>
  timeSpeech(
    { text, language: 'English' },
    [{ textStart: 0, textEnd: text.length, from: 0, to: samples.length, skipped: 0 }],
    [heardIn(samples, marks)],
    RATE,
  )

const mark = (text: string, word: string, seconds: number) => ({
  offset: text.indexOf(word),
  sample: inSamples(seconds),
})

/** In the order of the text, none over another. */
function expectInOrder({ words, sentences }: SpeechTiming, durationMs: number): void {
  for (const ranges of [words, sentences])
    for (const [at, { start, end, from, to }] of ranges.entries()) {
      const before = ranges[at - 1] ?? { end: 0, to: 0 }
      expect([start >= before.end, end > start, from >= before.to, to >= from, to <= durationMs]).not.toContain(false)
    }
}

describe('the times of a rendering', () => {
  const text = 'One. A much longer sentence comes in second place, as it does. Two words.'

  test('of an engine without a clock: sentences lie between the pauses, however long each takes, and words within them', () => {
    // The long sentence is spoken twice as fast as it should be, with a pause at its comma.
    const samples = audioOf(0.1, 0.5, 0.4, 0.9, 0.15, 0.3, 0.4, 1.4, 0.2)
    const { words, sentences } = timed(text, samples)
    expect(sentences.map(({ source }) => source)).toEqual(['aligned', 'aligned', 'aligned'])
    const wanted = [100, 600, 1000, 2350, 2750, 4150]
    for (const [at, ms] of sentences.flatMap(({ from, to }) => [from, to]).entries())
      expect(Math.abs(ms - wanted[at]!)).toBeLessThanOrEqual(20)
    expectInOrder({ words, sentences }, 4350)
    expect(new Set(words.map(({ source }) => source))).toEqual(new Set(['estimated']))
    const inSecond = words.filter(({ start }) => start >= sentences[1]!.start && start < sentences[1]!.end)
    expect(inSecond[0]!.from).toBe(sentences[1]!.from)
    expect(inSecond.at(-1)!.to).toBe(sentences[1]!.to)
  })

  test('without any pause are shares of the whole', () => {
    const { sentences, words } = timed(text, audioOf(0, 5))
    expect(sentences.map(({ source }) => source)).toEqual(['estimated', 'estimated', 'estimated'])
    expect([sentences[0]!.from, sentences.at(-1)!.to]).toEqual([0, 5000])
    expectInOrder({ words, sentences }, 5000)
    expect(sentences[1]!.to - sentences[1]!.from).toBeGreaterThan(2500)
  })

  test('of an engine with a clock are its own; a word that it does not mark lies between its neighbours', () => {
    const samples = audioOf(0.1, 0.5, 0.4, 1.35, 0.3, 1)
    // Out of order, one in the middle of a word, one at a time that is over already.
    const marks = [
      mark(text, 'A much', 1.02),
      mark(text, 'One', 0.1),
      mark(text, 'longer', 1.3),
      mark(text, 'ords', 3),
      mark(text, 'second', 1.1),
      mark(text, 'Two', 2.67),
    ]
    const { words, sentences } = timed(text, samples, marks)
    const own = Object.fromEntries(words.map(({ start, end, ...rest }) => [text.slice(start, end), rest]))
    expect(own.One).toMatchObject({ from: 100, source: 'engine' })
    expect(own.A).toMatchObject({ from: 1020, source: 'engine' })
    expect(own.longer).toMatchObject({ from: 1300, source: 'engine' })
    expect([own.much!.source, own.second!.source, own.words!.source]).toEqual(['estimated', 'estimated', 'estimated'])
    expect(own.much!.from).toBeGreaterThan(1020)
    expect(own.much!.to).toBeLessThanOrEqual(1300)
    expect(sentences.map(({ source }) => source)).toEqual(['engine', 'engine', 'engine'])
    // In front of the pause, not behind it.
    expect(Math.abs(sentences[0]!.to - 600)).toBeLessThanOrEqual(20)
    expectInOrder({ words, sentences }, 3650)
  })

  test('behind a pause begin with the sound, and not with the silence of a consonant that the engine counts in', () => {
    const words = 'One. Kitchen. Two.'
    const samples = audioOf(0.1, 0.5, 0.4, 0.6, 0.3, 0.5)
    const marks = [mark(words, 'One', 0.06), mark(words, 'Kitchen', 0.92), mark(words, 'Two', 1.82)]
    const found = timed(words, samples, marks)
    expect(found.words.map(({ from, source }) => [from, source])).toEqual([
      [100, 'engine'],
      [1000, 'engine'],
      [1900, 'engine'],
    ])
    expect(found.sentences.map(({ from, to }) => [from, to])).toEqual([
      [100, 600],
      [1000, 1600],
      [1900, 2400],
    ])
    // Two words in one silence: the first one has no sound of its own, and stays where it was said to be.
    // Where speech is fast its pauses are short: a word ends before such a one, where the next begins in it.
    const fast = timed(words, audioOf(0.1, 0.5, 0.08, 0.6, 0.05, 0.5), [
      mark(words, 'One', 0.1),
      mark(words, 'Kitchen', 0.66),
      mark(words, 'Two', 1.29),
    ])
    expect(fast.words.map(({ from, to }) => [from, to])).toEqual([
      [100, 600],
      [660, 1280],
      [1290, 1830],
    ])
    const aligned = timeSpeech(
      { text: words, language: 'English' },
      [{ textStart: 0, textEnd: words.length, from: 0, to: samples.length, skipped: 0 }],
      [{ ...heardIn(samples, marks), markSource: 'aligned' }],
      RATE,
    )
    expect(new Set([...aligned.words, ...aligned.sentences].map(({ source }) => source))).toEqual(new Set(['aligned']))
    const both = timed(words, samples, [mark(words, 'Kitchen', 0.8), mark(words, 'Two', 0.95)])
    expect(both.words.slice(1).map(({ from }) => from)).toEqual([800, 1000])
  })

  test('of what is written as one with a number or a sign last from its first sound to the next word', () => {
    const price = 'It will be $100 after 9:30PM.'
    const samples = audioOf(0, 4)
    const marks = [mark(price, 'It', 0), mark(price, 'will', 0.3), mark(price, 'be', 0.6)]
    const later = [mark(price, 'after', 2), mark(price, '9', 2.5), mark(price, '30', 3), mark(price, 'PM', 3.5)]
    const found = [
      ['be', 600, 900],
      ['$100', 900, 2000],
      ['after', 2000, 2500],
      ['9:30PM', 2500, 4000],
    ]
    for (const amount of [[mark(price, '$', 0.9), mark(price, '100', 1.4)], [mark(price, '100', 0.9)]]) {
      const { words } = timed(price, samples, [...marks, ...amount, ...later])
      expect(words.slice(2).map(({ start, end, from, to }) => [price.slice(start, end), from, to])).toEqual(found)
      expect(new Set(words.map(({ source }) => source))).toEqual(new Set(['engine']))
    }
    expect(timed(price, samples).words.map(({ start, end }) => price.slice(start, end))).toEqual([
      ...['It', 'will', 'be', '$100', 'after', '9:30PM'],
    ])
  })

  test('of sentences that the engine has not marked begin behind the pauses there', () => {
    const said = 'One. Not marked. Nor is this one. Four.'
    const samples = audioOf(0.1, 0.5, 0.4, 0.6, 0.3, 0.9, 0.35, 0.5)
    const { sentences, words } = timed(said, samples, [mark(said, 'One', 0.1), mark(said, 'Four', 3.1)])
    expect(sentences.map(({ from, to }) => [from, to])).toEqual([
      [100, 600],
      [1000, 1600],
      [1900, 2800],
      [3150, 3650],
    ])
    expect(sentences.map(({ source }) => source)).toEqual(['aligned', 'aligned', 'aligned', 'engine'])
    expect(words.find(({ start }) => start === said.indexOf('Nor'))!.from).toBe(1900)
    const last = timed(said, samples, [mark(said, 'One', 0.1)])
    expect(last.sentences.map(({ from }) => from)).toEqual([100, 1000, 1900, 3150])
    expectInOrder(last, 3650)
  })

  test('of chunks begin and end where those do in the recording, also where silence before them was left out', () => {
    const long = 'First part. Second part, which is silent. Third part.'
    const at = (piece: string) => ({ textStart: long.indexOf(piece), textEnd: long.indexOf(piece) + piece.length })
    const samples = audioOf(0.5, 1, 0.5)
    const chunks = [
      { ...at('First part.'), from: 0, to: inSamples(1.1), skipped: inSamples(0.44) },
      { ...at('Second part, which is silent.'), from: inSamples(1.4), to: inSamples(1.4), skipped: 0 },
      { ...at('Third part.'), from: inSamples(1.7), to: inSamples(2.8), skipped: inSamples(0.44) },
    ]
    const timing = timeSpeech(
      { text: long, language: 'English' },
      chunks,
      [heardIn(samples), null, heardIn(samples)],
      RATE,
    )
    expect(timing.sentences.map(({ start, end }) => long.slice(start, end))).toEqual(['First part.', 'Third part.'])
    expect(timing.sentences.map(({ from, to }) => [from, to])).toEqual([
      [60, 1060],
      [1760, 2760],
    ])
    expectInOrder(timing, 2800)
  })

  test('are in order within the audio for any text', () => {
    const texts = fc.array(fc.constantFrom('word', ' ', '. ', ', ', '42', '東京', '。', '—', '😀', '"', 'Dr. '), {
      maxLength: 80,
      size: 'max',
    })
    const holds = fc.property(texts, fc.integer({ min: 1, max: 60_000 }), (pieces, durationMs) => {
      const any = pieces.join('')
      expectInOrder(estimateTiming({ text: any, language: 'English' }, durationMs), durationMs)
      const samples = audioOf(0.1, 0.7, 0.2, 0.6, 0.4, 1)
      if (any.trim() === '') return
      expectInOrder(timed(any, samples), 3000)
      const own = Array.from(any.matchAll(/word|42/g), ({ index }, at) => ({ offset: index, sample: at * durationMs }))
      const some = own.filter((_, at) => (at + durationMs) % 3 > 0)
      expectInOrder(timed(any, samples, some), 3000)
    })
    fc.assert(holds, { numRuns: 100 })
  })
})

describe('the events of eSpeak', () => {
  test('count what characters are escaped as, and readings stand for what they read', () => {
    const text = '😀 R&B <b>東京</b>'
    // As code points: the reading stands for two of them.
    const parts = [
      ...Array.from('😀 R&B <b>', (spoken, start) => ({ spoken, start, length: 1 })),
      { spoken: 'トーキョー', start: 9, length: 2 },
      ...Array.from('</b>', (spoken, at) => ({ spoken, start: 11 + at, length: 1 })),
    ]
    const escaped = '😀 R&amp;B &lt;b&gt;トーキョー&lt;/b&gt;'
    const at = (piece: string) => [...escaped.slice(0, escaped.indexOf(piece))].length + 1
    const events = ['R', 'B', 'b&gt;', 'ト', 'キ', '/b'].map((piece, index) => ({
      position: at(piece),
      sample: index * 10,
    }))
    const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
    const marks = toWordMarks([...events, { position: 999, sample: 70 }], text, parts, escapes)
    expect(marks.map(({ offset }) => text.slice(offset, offset + 2))).toEqual(['R&', 'B ', 'b>', '東京', '東京', '/b'])
    expect(marks.map(({ sample }) => sample)).toEqual([0, 10, 20, 30, 40, 50])
  })
})

describe('a stored timing', () => {
  const range = fc.record({
    gap: fc.nat(300),
    length: fc.integer({ min: 1, max: 400 }),
    pause: fc.nat(90_000),
    lasts: fc.nat(90_000),
    source: fc.constantFrom(...TIME_SOURCES),
  })
  const ranges = fc.array(range, { maxLength: 50 }).map((all) => {
    let [end, to] = [0, 0]
    return all.map(({ gap, length, pause, lasts, source }) => {
      const one = { start: end + gap, end: end + gap + length, from: to + pause, to: to + pause + lasts, source }
      ;[end, to] = [one.end, one.to]
      return one
    })
  })

  test('is read as it was written, in a few bytes a word', () => {
    const holds = fc.property(ranges, ranges, (words, sentences) => {
      const heard = sentences.length % 2 === 0 ? null : sentences.map(({ start, end }) => ({ start, end }))
      expect(decodeTiming(encodeTiming({ words, sentences, heard }))).toEqual({ words, sentences, heard })
    })
    fc.assert(holds, { numRuns: 100 })
    const text = 'Eight words are in this very short sentence. '.repeat(200)
    const timing = { ...estimateTiming({ text, language: 'English' }, 600_000), heard: null }
    expect(encodeTiming(timing).length / timing.words.length).toBeLessThan(6)
  })

  test('that is cut off or of another version is an error', () => {
    const bytes = encodeTiming({
      words: [{ start: 0, end: 3, from: 0, to: 9, source: 'engine' }],
      sentences: [],
      heard: null,
    })
    expect(() => decodeTiming(bytes.subarray(0, -1))).toThrow('too early')
    expect(() => decodeTiming(Uint8Array.of(9))).toThrow('another version')
    const reversed = { start: 3, end: 0, from: 0, to: Number.NaN, source: 'engine' as const }
    expect(() => encodeTiming({ words: [reversed], sentences: [], heard: null })).toThrow(RangeError)
  })

  test('counts in the submitted text: words of one alias are one, and promise what the worst of them does', () => {
    const map = new OffsetMap('a <sub alias="b c">x</sub> d', [
      { spoken: 'a ', start: 0, end: 2 },
      { spoken: 'b c', start: 19, end: 20 },
      { spoken: ' d', start: 26, end: 28 },
    ])
    const word = (start: number, from: number, source: 'engine' | 'estimated') => ({
      start,
      end: start + 1,
      from,
      to: from + 10,
      source,
    })
    const words = [word(0, 0, 'engine'), word(2, 10, 'engine'), word(4, 20, 'estimated'), word(6, 30, 'engine')]
    const { words: found, heard } = inSubmitted({ words, sentences: [] }, map)
    expect(found.map(({ start, from, to, source }) => [map.submitted[start], from, to, source])).toEqual([
      ['a', 0, 10, 'engine'],
      ['x', 10, 30, 'estimated'],
      ['d', 30, 40, 'engine'],
    ])
    expect(heard).toEqual([
      { start: 0, end: 2 },
      { start: 19, end: 20 },
      { start: 26, end: 28 },
    ])
    expect(inSubmitted({ words, sentences: [] }, OffsetMap.plain('a b c d')).heard).toBeNull()
  })
})
