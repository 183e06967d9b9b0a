import fc from 'fast-check'
import { parse as parseStrictly } from 'node-webvtt'
import { default as SrtParser } from 'srt-parser-2'
import { describe, expect, test } from 'vitest'
import { default as webvttParser } from 'webvtt-parser'
import type { Language } from '../../../src/engines/espeak/detect-language.ts'
import { type Cue, columnsOf, cuesOf, LINE_COLUMNS } from '../../../src/voice/captions/cues.ts'
import { timesOf, toSrt, toWebvtt } from '../../../src/voice/captions/voice-job-captions.ts'
import type { JobTiming } from '../../../src/voice/timing/speech-timing.ts'
import { estimateTiming } from '../../../src/voice/timing/time-speech.ts'

const MS_PER_CHARACTER = 65

const PROSE =
  'Dr. Smith read 1,234 pages — all of them — in a night. “Really?” she asked, and nobody answered, because the rain had begun to fall on the roof of the old house by the sea. Yes. No.\r\n\r\nA new paragraph begins here, and it is as short as this.'
const TEXTS: readonly (readonly [what: string, text: string, language: Language | undefined])[] = [
  ['prose', PROSE, 'English'],
  [
    'an arrow and markup',
    'From 00:01 --> 00:02 a & b <script>alert("x")</script> {\\an8} {y:i} C:\\New <i>word</i> --> end.',
    'English',
  ],
  [
    'blank lines, carriage returns, other separators',
    '1\r\n\r\n00:00\r2\u2028three\u0085four\t\tfive\n\n\nSTYLE\n\nNOTE six',
    'English',
  ],
  ['right to left', 'قال الرجل: «مرحبا بكم في المدينة القديمة، حيث يبدأ كل شيء من جديد كل صباح». ثم ذهب.', undefined],
  ['kanji', '東京は今日も晴れです。明日は雨が降るかもしれませんので、傘を持って行ってください。', 'Japanese'],
  ['Chinese', '你好，世界。今天天气很好，我们一起去公园散步吧，然后去图书馆看书。', 'Chinese'],
  ['one endless word', `${'a'.repeat(300)} end.`, 'English'],
  [
    'braces',
    'Say {hello}, over {two of the lines that a caption has, and no less than two} and a lone } or {: {{ok}}',
    'English',
  ],
  ['pictures', '😀 👩‍👩‍👧‍👦 𝒜𝒷𝒸 hello 😀. 🎉', 'English'],
  ['nothing but a symbol', '€', 'English'],
]

const timingOf = (text: string, language?: Language, duration = durationOf(text)): JobTiming => ({
  ...estimateTiming({ text, language }, duration),
  heard: null,
})
const durationOf = (text: string): number => Math.max(400, [...text].length * MS_PER_CHARACTER)
const captioned = (text: string, language?: Language): Promise<Cue[]> =>
  cuesOf(text, timingOf(text, language), durationOf(text))
const bare = (text: string): string => text.replace(/[\s\p{Cc}\u2060]+/gu, '')

/** The rules of captions for any text. */
function expectReadable(cues: readonly Cue[], text: string): void {
  expect(bare(cues.flatMap(({ lines }) => lines).join(''))).toBe(bare(text))
  for (const [at, { from, to, lines }] of cues.entries()) {
    expect(from).toBeGreaterThanOrEqual(cues[at - 1]?.to ?? 0)
    expect(to).toBeGreaterThan(from)
    expect(to - from).toBeLessThanOrEqual(7000)
    expect(lines.length).toBeLessThanOrEqual(2)
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(LINE_COLUMNS)
  }
  expect(cues.at(-1)!.to).toBeLessThanOrEqual(durationOf(text))
}

describe('captions', () => {
  test.each(TEXTS)(
    'of %s hold all of it, in two lines of 42 columns and 7 seconds, none over another',
    async (_what, text, language) => {
      expectReadable(await captioned(text, language), text)
    },
  )

  test('of any text do', async () => {
    const piece = fc.constantFrom(
      ...'aé.,!?-–<>&"\'«»\n\r\t 　。、1東あ한א😀'.split(''),
      ' ',
      ' ',
      'word',
      'a longer phrase of words',
      '-->',
    )
    const texts = fc.array(piece, { minLength: 1, maxLength: 60 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        fc.pre(text.trim() !== '' && bare(text) !== '')
        expectReadable(await captioned(text), text)
      }),
      { numRuns: 300 },
    )
  })

  test('end with sentences, are cut at clauses, and stay long enough to be read', async () => {
    const cues = await captioned(PROSE, 'English')
    const texts = cues.map(({ lines }) => lines.join(' '))
    expect(texts[0]).toBe('Dr. Smith read 1,234 pages — all of them — in a night.')
    expect(texts[1]).toMatch(/^“Really\?” she asked,.*[,.]$/)
    expect(texts.slice(1).join(' ')).toContain('old house by the sea. Yes. No.')
    for (const { from, to } of cues) expect(to - from).toBeGreaterThanOrEqual(833)
    expect((await captioned('a '.repeat(30))).every(({ lines }) => lines.length <= 2)).toBe(true)
  })

  test('leave out markup, and an alias is shown as what it stands for', async () => {
    const text = 'See <sub alias="World Wide Web">WWW</sub> now.'
    const at = text.indexOf('WWW')
    const heard = [
      { start: 0, end: 4 },
      { start: at, end: at + 3 },
      { start: text.indexOf(' now'), end: text.length },
    ]
    const word = (word: string, from: number) => ({
      start: text.indexOf(word),
      end: text.indexOf(word) + word.length,
      from,
      to: from + 300,
      source: 'engine' as const,
    })
    const words = [word('See', 0), word('WWW', 300), word('now', 600)]
    const timing = {
      words,
      sentences: [{ start: 0, end: text.length, from: 0, to: 900, source: 'engine' as const }],
      heard,
    }
    expect((await cuesOf(text, timing, 1000)).map(({ lines }) => lines)).toEqual([['See WWW now.']])
    expect(timesOf(text, timing).sentences[0]!.text).toBe('See WWW now.')
  })
})

test('captions of a book let other work run', async () => {
  const text = PROSE.repeat(600)
  const timing = timingOf(text, 'English')
  let turns = 0
  const count = setInterval(() => turns++, 0)
  const cues = await cuesOf(text, timing, durationOf(text))
  clearInterval(count)
  expect(cues.length).toBeGreaterThan(1000)
  expect(turns).toBeGreaterThan(5)
})

describe('files of captions', () => {
  test.each(TEXTS)('of %s are read by parsers of others, word for word', async (_what, text, language) => {
    const cues = await captioned(text, language)
    const [vtt, srt] = [toWebvtt(cues), toSrt(cues)]
    const spoken = cues.map(({ lines }) => lines.join('\n'))
    const strict = new webvttParser.WebVTTParser().parse(vtt, 'metadata')
    expect(strict.errors).toEqual([])
    const unescaped = (line: string) => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    expect(strict.cues.map((cue) => unescaped(cue.text))).toEqual(spoken)
    expect(parseStrictly(vtt, { strict: true }).cues.map((cue) => unescaped(cue.text))).toEqual(spoken)
    const lines = new SrtParser().fromSrt(srt)
    const narrow = (line: string) => line.replaceAll('｛', '{').replaceAll('｝', '}')
    expect(lines.map((line) => narrow(line.text.replaceAll('\u2060', '')))).toEqual(spoken)
    expect(lines.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual(
      cues.map(({ from, to }) => [from / 1000, to / 1000]),
    )
    expect(srt).not.toMatch(/<[a-z/]|\\[nh]/i)
    for (const { text: shown } of lines) expect(shown).not.toMatch(/\{[^}]*\}/)
    expect(srt.match(/-->/g)).toHaveLength(cues.length)
  })

  test('are empty, and still files, where nothing is heard', () => {
    expect([toWebvtt([]), toSrt([])]).toEqual(['WEBVTT\n', ''])
  })

  test('of SubRip leave a brace as it is that hides nothing', () => {
    const written = (...lines: string[]) =>
      toSrt([{ from: 0, to: 1000, lines }])
        .split('\n')
        .slice(2, -1)
    expect(written('Lone } and {')).toEqual(['Lone } and {'])
    expect(written('{hello} :}')).toEqual(['｛hello｝ :｝'])
    expect(written('from {one line', 'to} another')).toEqual(['from ｛one line', 'to｝ another'])
  })

  test('write times of hours', () => {
    const cues = [{ from: 3_723_004, to: 3_725_000, lines: ['Late.'] }]
    expect(toWebvtt(cues)).toBe('WEBVTT\n\n1\n01:02:03.004 --> 01:02:05.000\nLate.\n')
    expect(toSrt(cues)).toBe('1\n01:02:03,004 --> 01:02:05,000\nLate.\n')
  })
})

describe('times', () => {
  test('count code points of the submitted text, and say what is there', () => {
    const text = '😀 東京 𝒜𝒷 is “here”. 👩‍👩‍👧‍👦 too.'
    const { words, sentences, timing } = timesOf(text, timingOf(text, 'English'))
    const points = [...text]
    for (const { text: said, offset, length } of [...words, ...sentences])
      expect(points.slice(offset, offset + length).join('')).toBe(said)
    expect(words.map(({ text: said }) => said)).toContain('here')
    expect(timing).toBe('estimated')
  })
})
