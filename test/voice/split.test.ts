import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SENTENCES } from '../../bench/sentences.ts'
import { LANGUAGES } from '../../src/engines/espeak/detect-language.ts'
import { endsParagraph, findSentences, splitText } from '../../src/voice/split.ts'

const bare = (text: string) => text.replace(/\s+/gu, '')
const cut = (text: string, language: (typeof LANGUAGES)[number] = 'English') => splitText(text, language)
const texts = (text: string) => cut(text).map((chunk) => chunk.text)
const proseIn = (language: (typeof LANGUAGES)[number]) =>
  SENTENCES.filter((one) => one.language === language)
    .map(({ text }) => text)
    .join(' ')
    .repeat(3)

describe('nothing is lost', () => {
  const parts = fc.constantFrom(
    ...[
      'Hello. ',
      'Dr. ',
      'Who? ',
      '3.5 ',
      '1,000,000 ',
      'a',
      'word ',
      ', ',
      '\n',
      '\n\n',
      '"',
      '(',
      '…',
      'U.S. ',
      '😀',
      '字',
      '。',
    ],
    ...['，', 'ねえ', '안녕 ', ' ', '\u00a0', '9', 'x'.repeat(90), ' '.repeat(50), 'Привет! ', 'สวัสดี', '\u200d', 'é'],
  )
  test.each(LANGUAGES)('joining the chunks of any text in %s gives it back but for white space', (language) => {
    const mixtures = fc.array(fc.oneof(parts, parts, fc.string({ unit: 'grapheme', maxLength: 40 })), {
      maxLength: 400,
    })
    fc.assert(
      fc.property(mixtures, (words) => {
        const text = words.join('')
        const chunks = cut(text, language)
        expect(bare(chunks.map((chunk) => chunk.text).join(' '))).toBe(bare(text))
        for (const chunk of chunks) expect(chunk.text.length).toBeLessThanOrEqual(400)
        for (const chunk of chunks) expect(chunk.text.isWellFormed()).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

test('a text that fits in one chunk stays as it is', () => {
  expect(cut('  Hello. World.\n')).toEqual([{ text: '  Hello. World.\n', start: 0, pause: 'none' }])
})

test.each(LANGUAGES)(
  '400 UTF-16 units in %s are one chunk, whatever ends in them, and one more makes two',
  (language) => {
    const paragraphs = proseIn(language).replaceAll(/(?<=[.!?。！？]) ?/gu, '\n\n')
    for (const text of [proseIn(language), paragraphs]) {
      expect(cut(text.slice(0, 400), language)).toEqual([{ text: text.slice(0, 400), start: 0, pause: 'none' }])
      expect(cut(text.slice(0, 401), language)).toHaveLength(2)
    }
  },
)

test.each(LANGUAGES)('prose in %s is cut after sentences, into 200 to 400 characters', (language) => {
  const chunks = cut(proseIn(language), language)
  expect(chunks.length).toBeGreaterThan(1)
  for (const { text } of chunks) {
    expect(text.length).toBeGreaterThanOrEqual(200)
    expect(text).toMatch(/[.!?。！？]$/u)
  }
  expect(new Set(chunks.slice(0, -1).map(({ pause }) => pause))).toEqual(new Set(['sentence']))
})

describe('never cut', () => {
  const filler = 'Then they went to the station and waited for the train. '
  const shifted = (inner: string) =>
    Array.from({ length: 60 }, (_, shift) => `${'x'.repeat(shift)} ${`${filler}${inner} `.repeat(12)}`)

  test.each([
    ['after Dr.', 'The patient of Dr. Smith came.', /Dr\.$/],
    ['after Mr.', 'They met Mr. Jones there.', /Mr\.$/],
    ['after an initial', 'It was J. S. Bach again.', /\b[JS]\.$/],
    ['in a decimal number', 'It cost 3.50 in all.', /3\.?$/],
    ['in a number with commas', 'There were 1,000,000 of them.', /\d,$|1$/],
    ['in a number with spaces', 'There were 10 000 000 of them.', /\b(10|000)$/],
    ['in a time', 'At 10:30 it rained.', /10:?$/],
  ])('%s', (_, inner, wrong) => {
    for (const text of shifted(inner)) {
      for (const chunk of texts(text).slice(0, -1)) {
        if (inner.includes('000 000') && /of them\.$/.test(chunk)) continue
        expect(chunk).not.toMatch(wrong)
      }
    }
  })

  test.each([
    ['German', 'Im 19. Jh. kam Prof. Weber mit Fr. Adler.', ['Im 19.', 'Jh.', 'Prof.', 'Fr.']],
    ['French', 'Le train de M. Petit et de Mme. Blanc part.', ['M.', 'Mme.']],
    ['Spanish', 'La Sra. Vega y el Dr. Mora llegan.', ['Sra.', 'Dr.']],
    ['Italian', 'Il sig. Neri e il dott. Verdi arrivano.', ['sig.', 'dott.']],
    ['Portuguese', 'O Sr. Lima e a Dra. Costa chegam.', ['Sr.', 'Dra.']],
    ['Russian', 'В 1998 г. на ул. Мира жил проф. Орлов.', ['г.', 'ул.', 'проф.']],
    ['English', 'They met Gen. Lee on Main St. near Mt. Hood.', ['Gen.', 'St.', 'Mt.']],
  ] as const)('where %s reads on behind an abbreviation', (language, sentence, ends) => {
    for (let shift = 0; shift < 60; shift++) {
      const text = `${'x'.repeat(shift)} ${`${sentence} `.repeat(20)}`
      for (const chunk of cut(text, language)) expect(ends.filter((end) => chunk.text.endsWith(` ${end}`))).toEqual([])
    }
  })

  test.each([
    ['English', 'Then they sat. So he ate. We won by a goal. Go on.'],
    ['German', 'Alle sind da. Dann gab es Tee. Es war gut. Komm mit.'],
    ['Spanish', 'Es el fin. Luego se fue a casa. Hace sol. Ven.'],
  ] as const)('but where %s begins a sentence behind a short word', (language, text) => {
    expect(findSentences(text, language)).toHaveLength(3)
  })

  test.each([' ', ', ', '; ', '\n'])('numbers that only %j stands between stay whole', (between) => {
    const numbers = Array.from({ length: 200 }, (_, n) => String(1_000_003 * (n + 1)))
    expect(texts(numbers.join(between)).flatMap((chunk) => chunk.split(/[,;]?\s|[,;]$/).filter(Boolean))).toEqual(
      numbers,
    )
  })

  test('a number in a sentence without punctuation stays whole', () => {
    const chunks = texts('we counted 12 345 678 of them and '.repeat(40))
    for (const chunk of chunks) expect(chunk).not.toMatch(/^(345|678)|(12|345)$/)
    expect(chunks.length).toBeGreaterThan(3)
  })
})

describe('what is longer than a chunk', () => {
  test('a sentence is cut at commas, with the pause of one', () => {
    const sentence = `${'it rained all day and nobody went out, '.repeat(30)}so we stayed.`
    const chunks = cut(sentence)
    for (const { text, pause } of chunks.slice(0, -1)) expect([text.at(-1), pause]).toEqual([',', 'clause'])
  })

  test('a clause is cut at words', () => {
    for (const { text } of cut('never ending '.repeat(100))) expect(text).toMatch(/^(never|ending).*(never|ending)$/)
  })

  test('a text without spaces is cut at its words', () => {
    for (const { text } of cut('我们去公园'.repeat(200), 'Chinese')) expect(text.length).toBeGreaterThan(100)
  })

  test('a word that never ends is cut between characters', () => {
    const chunks = texts('👨‍👩‍👧'.repeat(200))
    for (const chunk of chunks) expect(bare(chunk)).toMatch(/^(👨‍👩‍👧)+$/u)
  })
})

test('a quotation is whole wherever it stands in a long paragraph', () => {
  const said = 'He said "It rains. Nobody comes. We go home." to them. '
  for (let at = 0; at < 1200; at += 40) {
    const text = `${'We wait here now. '.repeat(at / 18)}${said}${'We wait here now. '.repeat(100)}`
    const from = text.indexOf('"')
    const within = findSentences(text, 'English').filter((found) => found.at > from && found.at < text.lastIndexOf('"'))
    expect([at, within]).toEqual([at, []])
  }
})

test('a paragraph of a hundred thousand characters is read as a short one is, in a time that grows with its length', () => {
  const sentences = ['We met Dr. Smith.', 'It cost 3.50 in all!', 'Who came (and why)?', '"Nobody. Not one," she said.']
  const before = process.threadCpuUsage().user
  const text = `${sentences.join(' ')} `.repeat(1150)
  expect(findSentences(text, 'English')).toHaveLength(4 * 1150 - 1)
  expect((process.threadCpuUsage().user - before) / 1000).toBeLessThan(3000)
})

test('paragraphs, sentences and clauses are followed by their pauses', () => {
  const paragraph = `${'This is a sentence of the first paragraph. '.repeat(7).trim()}\n\n`
  const pauses = cut(paragraph.repeat(3)).map(({ pause }) => pause)
  expect(pauses).toEqual(['paragraph', 'paragraph', 'none'])
})

test('ten thousand characters of anything are cut in well under a second', () => {
  for (const part of ['a. ', 'A.', '‼ ', '۔ ', '("', '1', '\n', 'word ', '"a. b" ', '字', 'a!', 'a, ', '- ']) {
    // The time of this thread alone: a busy machine makes nothing slower.
    const before = process.threadCpuUsage()
    cut(part.repeat(10_000 / part.length))
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1500)
  }
})

test('a paragraph ends with an empty line, and a hundred thousand empty lines cost less than a second', () => {
  for (const [text, isEnd] of [
    ['Hello.\n \n', true],
    ['Hello.\n\n \t', true],
    ['Hello. \n', false],
    ['\n\nHello', false],
  ] as const)
    expect(endsParagraph(text)).toBe(isEnd)
  const before = process.threadCpuUsage().user
  expect(endsParagraph(`.${'\n'.repeat(100_000)}b`)).toBe(false)
  expect((process.threadCpuUsage().user - before) / 1000).toBeLessThan(1000)
})
